/** `/status.json` as of now (docs/spec/people.md#status-json). */
import { publisherState } from "../../resources/publication-status/public-record.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { ShimContext } from "../context.ts";
import { type FullResponse, rowResponse } from "../full-response.ts";
import type { FileRequest } from "../handler.ts";
import { leaseFacts } from "./lease-facts.ts";

const encoder = new TextEncoder();

export async function publicationStatus(
  { file }: FileRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const facts = await leaseFacts(context);
  if (facts === undefined) return undefined;
  const now = context.now();
  const { renewedAt, lastCycleAt, nextCycleAt } = facts;
  const { installationId, answers, sources, explorer } = facts.public;
  const body = {
    schemaVersion: 1,
    installationId,
    now: formatTimestamp(now),
    publisher: { state: publisherState(facts, now), renewedAt, lastCycleAt, nextCycleAt },
    answers,
    sources,
    explorer,
  };
  const headers = file.cacheControl === null ? {} : { "cache-control": file.cacheControl };
  return rowResponse(file, { status: 200, headers }, encoder.encode(JSON.stringify(body)));
}
