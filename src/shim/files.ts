/** `/status.json`, which the shim composes from the lease object as of now (docs/spec/people.md#status-json). */
import { STATUS_KEY } from "../http/keys.ts";
import { decodedAs } from "../object-store/object-store.ts";
import { type LeaseFacts, type PublicRecord, publisherState } from "../resources/publication-status/public-record.ts";
import { formatTimestamp } from "../values/timestamp.ts";
import { fieldsOf } from "../values/unknown.ts";
import type { FileRequest, ShimContext } from "./context.ts";
import { type FullResponse, rowResponse } from "./full-response.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

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
