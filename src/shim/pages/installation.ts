/** The index of installations, parsed, and the telemetry of each kind of installation (docs/spec/api.md#telemetry). */
import { type Installations, parseInstallations } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import { type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "../../resources/telemetry/keys.ts";
import type { ShimContext } from "../context.ts";
import { type FullAnswer, rowAnswer } from "../full-answer.ts";
import type { RouteRequest } from "../handler.ts";
import { decodeStored, storedAnswer } from "../stored-answers.ts";

const PLACEHOLDER = '"{installationId}"';

const parsed = new WeakMap<StoredObject, Installations>();
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** At most a second old; `undefined` while none is published. */
export async function installations(context: ShimContext): Promise<Installations | undefined> {
  const object = await context.recent.get(INSTALLATIONS_KEY);
  if (object === undefined) return undefined;
  let index = parsed.get(object);
  if (index === undefined) {
    index = parse(object);
    parsed.set(object, index);
  }
  return index;
}

/** Telemetry by id: an unknown one is offline by the published template; `undefined` where nothing is published. */
export async function installationTelemetry(
  { route, installationId }: RouteRequest,
  context: ShimContext,
): Promise<FullAnswer | undefined> {
  const index = await installations(context);
  if (index === undefined) return undefined;
  if (installationId === index.configured) return storedAnswer(route, TELEMETRY_KEY, context.store, context.now());
  if (index.histories.has(installationId)) {
    return storedAnswer(route, installationTelemetryKey(installationId), context.store, context.now());
  }
  const template = await context.recent.get(UNKNOWN_TELEMETRY_KEY);
  if (template === undefined) return undefined;
  const { representation, body } = decodeStored(template, UNKNOWN_TELEMETRY_KEY);
  const text = decoder.decode(body).replace(PLACEHOLDER, () => JSON.stringify(installationId));
  return rowAnswer(route, representation, encoder.encode(text));
}

function parse(object: StoredObject): Installations {
  try {
    return parseInstallations(decoder.decode(object.body));
  } catch (cause) {
    throw new StoreUnavailable(`${INSTALLATIONS_KEY}: cannot be read`, { cause });
  }
}
