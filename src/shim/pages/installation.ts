/** An installation's entry in the index, and the telemetry of each kind of installation (docs/spec/api.md#telemetry). */
import { parseIndex } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "../../resources/telemetry/route.ts";
import { fieldsOf } from "../../values/unknown.ts";
import type { RouteRequest, ShimContext } from "../context.ts";
import { type FullResponse, rowResponse } from "../full-response.ts";
import { decodeStored, storedResponse } from "../stored-responses.ts";

const PLACEHOLDER = '"{installationId}"';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const indexOf = parsedOnce(parseIndex);

export interface NamedInstallation {
  readonly isConfigured: boolean;
  /** False if the index does not list it. */
  readonly isListed: boolean;
}

/** As of the last second; `undefined` while no index is published. */
export async function namedInstallation(
  installationId: string,
  { recent, store }: ShimContext,
): Promise<NamedInstallation | undefined> {
  const object = await recent.get(INSTALLATIONS_KEY);
  if (object === undefined) return notPublished(await store.get(TELEMETRY_KEY));
  const { configured, installations } = indexOf(INSTALLATIONS_KEY, object);
  return { isConfigured: installationId === configured, isListed: installations.has(installationId) };
}

/** The index is put before telemetry. If only telemetry is stored, the index was lost. */
function notPublished(telemetry: StoredObject | undefined): undefined {
  if (telemetry !== undefined) throw new StoreUnavailable(`${INSTALLATIONS_KEY}: is missing`);
}

/** Telemetry by id: an unknown one is offline by the published template; `undefined` if nothing is published. */
export async function installationTelemetry(
  { route, installationId }: RouteRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const named = await namedInstallation(installationId, context);
  if (named === undefined) return undefined;
  if (named.isConfigured || named.isListed) return ownTelemetry(route, installationId, named, context);
  const template = await context.recent.get(UNKNOWN_TELEMETRY_KEY);
  if (template === undefined) return undefined;
  const { representation, body } = decodeStored(template, UNKNOWN_TELEMETRY_KEY);
  const text = decoder.decode(body).replace(PLACEHOLDER, () => JSON.stringify(installationId));
  return rowResponse(route, representation, encoder.encode(text));
}

async function ownTelemetry(
  route: Route,
  installationId: string,
  named: NamedInstallation,
  { store, now }: ShimContext,
): Promise<FullResponse | undefined> {
  const key = telemetryKeyOf(installationId, named);
  const found = await storedResponse(route, key, store, now());
  if (found?.status === 200) checkSubject(key, found, installationId);
  return found;
}

/** The key of the telemetry of an installation in the index. */
export function telemetryKeyOf(installationId: string, { isConfigured }: NamedInstallation): string {
  return isConfigured ? TELEMETRY_KEY : installationTelemetryKey(installationId);
}

/**
 * Throws `StoreUnavailable` if telemetry belongs to another installation than the requested one. That happens after a
 * mistyped id was corrected, until the telemetry of the right installation is put.
 */
export function checkSubject(key: string, { body }: { readonly body: Uint8Array }, installationId: string): void {
  const subject = subjectOf(body);
  if (subject === installationId) return;
  throw new StoreUnavailable(`${key} holds the telemetry of ${String(subject)}, not of ${installationId}`);
}

function subjectOf(body: Uint8Array): unknown {
  try {
    return fieldsOf(JSON.parse(decoder.decode(body))).installationId;
  } catch {
    return undefined;
  }
}

/** Parses an object once, however often it is requested. */
function parsedOnce<T>(parse: (text: string) => T): (key: string, object: StoredObject) => T {
  const parsed = new WeakMap<StoredObject, { readonly value: T }>();
  return (key, object) => {
    let known = parsed.get(object);
    if (known === undefined) {
      try {
        known = { value: parse(decoder.decode(object.body)) };
      } catch (cause) {
        throw new StoreUnavailable(`${key}: cannot be read`, { cause });
      }
      parsed.set(object, known);
    }
    return known.value;
  };
}
