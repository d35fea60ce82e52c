/** What the index names of an installation, and the telemetry of each kind of installation (docs/spec/api.md#telemetry). */
import { type InstallationIndex, parseIndex, parseIndexShard, shardKeyOf } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import { type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "../../resources/telemetry/keys.ts";
import type { ShimContext } from "../context.ts";
import { type FullAnswer, rowAnswer } from "../full-answer.ts";
import type { RouteRequest } from "../handler.ts";
import { decodeStored, storedAnswer } from "../stored-answers.ts";

const PLACEHOLDER = '"{installationId}"';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const indexOf = parsedOnce(parseIndex);
const namesOf = parsedOnce(parseIndexShard);

export interface NamedInstallation {
  readonly isConfigured: boolean;
  /** Undefined where the index does not know it. */
  readonly history: string | undefined;
}

/** As of the last second; `undefined` while no index is published. */
export async function namedInstallation(
  installationId: string,
  { recent }: ShimContext,
): Promise<NamedInstallation | undefined> {
  const object = await recent.get(INSTALLATIONS_KEY);
  if (object === undefined) return undefined;
  const index = indexOf(INSTALLATIONS_KEY, object);
  const isConfigured = installationId === index.configured;
  return { isConfigured, history: await historyIn(index, installationId, recent) };
}

async function historyIn(index: InstallationIndex, installationId: string, recent: ShimContext["recent"]) {
  if ("histories" in index) return index.histories.get(installationId);
  const key = shardKeyOf(installationId, index.shards);
  const shard = await recent.get(key);
  // All of them are put before the index that has them: of a lost one nobody knows whom it named.
  if (shard === undefined) throw new StoreUnavailable(`${key}: is missing`);
  return namesOf(key, shard).get(installationId);
}

/** Telemetry by id: an unknown one is offline by the published template; `undefined` where nothing is published. */
export async function installationTelemetry(
  { route, installationId }: RouteRequest,
  context: ShimContext,
): Promise<FullAnswer | undefined> {
  const named = await namedInstallation(installationId, context);
  if (named === undefined) return undefined;
  if (named.isConfigured) return storedAnswer(route, TELEMETRY_KEY, context.store, context.now());
  if (named.history !== undefined) {
    return storedAnswer(route, installationTelemetryKey(installationId), context.store, context.now());
  }
  const template = await context.recent.get(UNKNOWN_TELEMETRY_KEY);
  if (template === undefined) return undefined;
  const { representation, body } = decodeStored(template, UNKNOWN_TELEMETRY_KEY);
  const text = decoder.decode(body).replace(PLACEHOLDER, () => JSON.stringify(installationId));
  return rowAnswer(route, representation, encoder.encode(text));
}

/** Parses an object once, however often it is asked about. */
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
