/** Combines the publisher's head and a read of the store for `noonmark status`. */
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { type Head, readHead } from "../../../publish/head/head.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { type PublisherState, publisherState } from "../../../src/resources/publication-status/public-record.ts";
import { Failure } from "../../../src/values/failure.ts";
import { isDeviceSilent } from "../../../src/values/freshness.ts";
import { printableValues } from "../../../src/values/printable.ts";
import { reported, rowOf } from "../failures.ts";
import type { Warning } from "../messages.ts";
import { SILENT_DEVICE_HINT } from "../publish/publisher-log.ts";
import type { Finding } from "./finding.ts";
import { type PublishedResponse, publishedResponses } from "./published-responses.ts";

export interface Publication {
  readonly store: string;
  readonly state: PublisherState;
  readonly ageSeconds: number;
  readonly head: Head;
  readonly responses: readonly PublishedResponse[];
  /** Why readers get no good response, or why a good one is not renewed. */
  readonly problems: readonly string[];
}

/** The result of `noonmark status`. */
export interface Status {
  /** Epoch ms. */
  readonly at: number;
  /** Undefined before the first publication, and if the store cannot be read. */
  readonly publication: Publication | undefined;
  /** Empty while a publisher publishes. */
  readonly checks: readonly Finding[];
  /** Why readers get no good response, why a good one is not renewed, and what a publisher would meet. */
  readonly problems: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Reads the publication in the store; undefined if nothing was ever published. `now` is in epoch ms. Throws `Failure` head_lost. */
export async function readPublication(store: ObjectStore, now: number): Promise<Publication | undefined> {
  const found = await readHead(store);
  if (found === undefined) return undefined;
  const { head } = found;
  if (head === undefined) throw new Failure("head_lost", `private/head.json in ${store.name} is damaged`);
  const responses = await publishedResponses(store, new Set(Object.keys(head.responses)), now);
  return printableValues(publicationOf(store.name, { head, responses }, now));
}

/** `now` is in epoch ms. */
export function publicationOf(
  store: string,
  { head, responses }: Pick<Publication, "head" | "responses">,
  now: number,
): Publication {
  const damaged = responses.filter(({ problem }) => problem !== null);
  const clock = clockProblems(head, responses, now);
  return {
    store,
    state: publisherState(head, now),
    ageSeconds: (now - head.lease.renewedAt) / 1000,
    head,
    responses,
    problems: [
      ...silenceProblems(head, now),
      ...clock,
      ...damaged.map(({ route, problem }) => `${route}: ${problem}`),
      ...head.problems.filter(([code]) => !clock.some((one) => one.startsWith(`${code}:`))).map(problemText),
    ],
  };
}

/** Warns if the newest receipt was old when the publisher was last seen. That is no fault: a device may rest. */
export function silentDevice({ head, ageSeconds }: Publication, now: number): Warning[] {
  const newest = head.sources.ledger.newestReceiptAt;
  if (newest === null || !isDeviceSilent(now - ageSeconds * 1000 - Date.parse(newest))) return [];
  const message = `the newest receipt is of ${newest}, more than 15 minutes ago`;
  return [{ code: "device_silent", message, hint: SILENT_DEVICE_HINT }];
}

/** The publisher's messages have the details. */
function problemText([code, count]: Head["problems"][number]): string {
  const times = count === 1 ? "" : ` (${count} times)`;
  const row = rowOf(code);
  return `${code}${times}: ${row === undefined ? "see the publisher's messages" : `${row[1]} ${row[2]}`}`;
}

export function holderName({ lease }: Head): string {
  return `publisher ${lease.holder.slice(0, 8)}`;
}

/** A publisher that released its lease has ended on purpose, as every `publish --once` does. */
function silenceProblems(head: Head, now: number): string[] {
  if (head.lease.released || publisherState(head, now) === "live") return [];
  const seconds = Math.round((now - head.lease.renewedAt) / 1000);
  const silent = `${holderName(head)} holds the lease and has been silent for ${seconds} s`;
  return [
    `publisher_silent: ${silent}. See why in its messages (journalctl -u noonmark-publish), and start a publisher`,
  ];
}

/** Finds clock problems: the publisher ended because its clock had moved, or this host's is behind what is published. */
function clockProblems(head: Head, responses: readonly PublishedResponse[], now: number): string[] {
  const problems: string[] = [];
  if (head.problems.some(([code]) => code === "clock_moved")) {
    problems.push("clock_moved: the publisher's clock moved; publishing goes on once it has been steady for a minute");
  }
  const published = [
    { what: "the last cycle", at: head.at },
    ...responses.map(({ route, asOf }) => ({ what: route, at: asOf === null ? Number.NaN : Date.parse(asOf) })),
  ];
  const ahead = published.find(({ at }) => isAhead(at, now));
  if (ahead !== undefined) {
    const { code, message, hint } = reported(clockBehind(ahead.what, ahead.at, now));
    problems.push(`${code}: ${message}. ${hint}`);
  }
  return problems;
}
