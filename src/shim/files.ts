/**
 * The files that the shim composes (docs/spec/people.md#files): `/badge.json` from the telemetry, `/status.json` from the lease
 * object, both as of now.
 */
import { STATUS_KEY } from "../http/keys.ts";
import { decodedAs, StoreUnavailable } from "../object-store/object-store.ts";
import { type LeaseFacts, type PublicRecord, publisherState } from "../resources/publication-status/public-record.ts";
import { TELEMETRY_KEY, telemetryRoute } from "../resources/telemetry/route.ts";
import { formatTimestamp } from "../values/timestamp.ts";
import { fieldsOf } from "../values/unknown.ts";
import type { FileRequest, ShimContext } from "./context.ts";
import { type FullResponse, rowResponse } from "./full-response.ts";
import { storedResponse } from "./stored-responses.ts";

const decoder = new TextDecoder();

/** The public part of the lease object, at most a second old. `undefined` without one, or if the site is turned off. */
async function leaseFacts({
  recent,
}: ShimContext): Promise<(LeaseFacts & { readonly public: PublicRecord }) | undefined> {
  const object = await recent.get(STATUS_KEY);
  if (object === undefined) return undefined;
  return decodedAs(STATUS_KEY, object, ({ body }) => {
    const facts: unknown = JSON.parse(decoder.decode(body));
    if (!isLeaseFacts(facts)) throw new Error("it is not a lease of Noonmark");
    return facts.public == null ? undefined : { ...facts, public: facts.public };
  });
}

function isLeaseFacts(value: unknown): value is LeaseFacts {
  const { ttlMs, renewedAt, public: record } = fieldsOf(value);
  if (typeof ttlMs !== "number" || typeof renewedAt !== "string" || Number.isNaN(Date.parse(renewedAt))) return false;
  return record == null || typeof fieldsOf(record).installationId === "string";
}

const COLORS: Readonly<Record<string, string>> = { online: "brightgreen", stale: "yellow", offline: "lightgrey" };

const encoder = new TextEncoder();

export async function badge({ file }: FileRequest, context: ShimContext): Promise<FullResponse | undefined> {
  if ((await leaseFacts(context)) === undefined) return undefined;
  const telemetry = await storedResponse(telemetryRoute, TELEMETRY_KEY, context.store, context.now());
  if (telemetry === undefined) return undefined;
  const { installationId, status } = telemetryOf(telemetry.body);
  const color = COLORS[status] ?? "lightgrey";
  const body = encoder.encode(JSON.stringify({ schemaVersion: 1, label: installationId, message: status, color }));
  const headers = {
    etag: await tagOf(body),
    ...(file.cacheControl === null ? {} : { "cache-control": file.cacheControl }),
  };
  const { validUntil } = telemetry;
  return { ...rowResponse(file, { status: 200, headers }, body), ...(validUntil === undefined ? {} : { validUntil }) };
}

/** Throws `StoreUnavailable` if the body is not telemetry. */
function telemetryOf(body: Uint8Array): { readonly installationId: string; readonly status: string } {
  try {
    const { installationId, status } = fieldsOf(JSON.parse(decoder.decode(body)));
    if (typeof installationId === "string" && typeof status === "string") return { installationId, status };
  } catch (cause) {
    throw new StoreUnavailable(`${TELEMETRY_KEY} is not telemetry`, { cause });
  }
  throw new StoreUnavailable(`${TELEMETRY_KEY} is not telemetry`);
}

/** A strong validator of the bytes. */
async function tagOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `"${btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}"`;
}

export async function publicationStatus(
  { file }: FileRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const facts = await leaseFacts(context);
  if (facts === undefined) return undefined;
  const now = context.now();
  const { renewedAt, lastCycleAt, nextCycleAt } = facts;
  const body = {
    ...facts.public,
    schemaVersion: 1,
    now: formatTimestamp(now),
    publisher: { state: publisherState(facts, now), renewedAt, lastCycleAt, nextCycleAt },
  };
  const headers = file.cacheControl === null ? {} : { "cache-control": file.cacheControl };
  return rowResponse(file, { status: 200, headers }, encoder.encode(JSON.stringify(body)));
}
