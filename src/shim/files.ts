/** `/status.json`, which the shim composes from the head as of now (docs/spec/people.md#status-json). */
import { HEAD_KEY } from "../http/keys.ts";
import { decodedAs } from "../object-store/object-store.ts";
import {
  type HeadFacts,
  headFacts,
  publicRecordOf,
  publisherState,
} from "../resources/publication-status/public-record.ts";
import { formatTimestamp } from "../values/timestamp.ts";
import type { FileRequest, ShimContext } from "./context.ts";
import { type FullResponse, rowResponse } from "./full-response.ts";

const encoder = new TextEncoder();

/** `undefined` before the first publish, or if the site is turned off. The head is at most a second old. */
export async function publicationStatus(
  { file }: FileRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const object = await context.recent.get(HEAD_KEY);
  if (object === undefined) return undefined;
  const now = context.now();
  const body = decodedAs(HEAD_KEY, object, (found) => statusOf(headFacts(found.body), now));
  if (body === undefined) return undefined;
  const headers = file.cacheControl === null ? {} : { "cache-control": file.cacheControl };
  return rowResponse(file, { status: 200, headers }, encoder.encode(JSON.stringify(body)));
}

function statusOf(head: HeadFacts, now: number): unknown {
  const record = publicRecordOf(head, now);
  if (record === undefined) return undefined;
  const { lease, at, nextCycleAt } = head;
  return {
    ...record,
    schemaVersion: 1,
    now: formatTimestamp(now),
    publisher: {
      state: publisherState(head, now),
      renewedAt: formatTimestamp(lease.renewedAt),
      lastCycleAt: at === 0 ? null : formatTimestamp(at),
      nextCycleAt: nextCycleAt === null ? null : formatTimestamp(nextCycleAt),
    },
  };
}
