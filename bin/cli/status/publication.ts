/** Combines the publisher's head and a read of the store for `noonmark status`. */
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { type Head, readHead } from "../../../publish/head/head.ts";
import { successorAt } from "../../../src/http/successor.ts";
import { type ObjectStore, StoreDamaged } from "../../../src/object-store/object-store.ts";
import { RESPONSE_KEYS } from "../../../src/resources/find.ts";
import { type PublisherState, publisherState } from "../../../src/resources/publication-status/public-record.ts";
import { Failure } from "../../../src/values/failure.ts";
import { isDeviceSilent } from "../../../src/values/freshness.ts";
import { printableValues } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { readResponse } from "../configured-store.ts";
import { reported, rowOf } from "../failures.ts";
import type { Warning } from "../messages.ts";
import type { Finding } from "./finding.ts";

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

/**
 * Reads the publication in the store; undefined if nothing was ever published. `now` is in epoch ms. Throws `Failure`
 * head_lost.
 */
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
  const hint =
    "Check the device and its sender, and whether intake runs and rejects lines: journalctl -u noonmark-ingest";
  return [{ code: "device_silent", message, hint }];
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

interface PublishedResponse {
  /** URL path with its query. */
  readonly route: string;
  readonly key: string;
  /** When it was computed; null if there is no good object. */
  readonly asOf: string | null;
  /** The current HTTP status. */
  readonly status: number | null;
  /** The next instant at which it changes without new facts. */
  readonly nextChangeAt: string | null;
  /** Why readers get no response; null if they get one. */
  readonly problem: string | null;
}

/**
 * Returns each response of the configured installation, in the order of the routes. A missing object is a problem if
 * its key is in `reported`, the keys reported as put; others were never published. `now` is in epoch ms. Throws
 * `StoreUnavailable`.
 */
async function publishedResponses(
  store: ObjectStore,
  reported: ReadonlySet<string>,
  now: number,
): Promise<PublishedResponse[]> {
  const responses: PublishedResponse[] = [];
  for (const [route, key] of RESPONSE_KEYS) {
    const response = await readPublished(store, key, now);
    if (response !== undefined) responses.push({ route, key, ...response });
    else if (reported.has(key)) responses.push({ route, key, ...without("missing in the store") });
  }
  return responses;
}

type Found = Omit<PublishedResponse, "route" | "key">;

async function readPublished(store: ObjectStore, key: string, now: number): Promise<Found | undefined> {
  try {
    const response = await readResponse(store, key);
    if (response === undefined) return undefined;
    const { representation, successors, at } = response;
    const current = successorAt(successors, now);
    const next = successors.find(({ from }) => from > now);
    return {
      asOf: formatTimestamp(at),
      status: current?.key === undefined ? representation.status : await statusOf(store, current.key),
      nextChangeAt: next === undefined ? null : formatTimestamp(next.from),
      problem: null,
    };
  } catch (error) {
    if (error instanceof StoreDamaged) return without(error.message);
    throw error;
  }
}

/** The constant that replaces a response after its validity; without it the shim responds like an unavailable store. */
async function statusOf(store: ObjectStore, key: string): Promise<number> {
  return (await readResponse(store, key))?.representation.status ?? 503;
}

function without(problem: string): Found {
  return { asOf: null, status: null, nextChangeAt: null, problem };
}
