/** Formats the status for people: one sentence, responses, sources, lease, problems. */
import type { PublicRecord } from "../../../src/resources/publication-status/public-record.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { tableLines } from "../messages.ts";
import { lineOf } from "./finding.ts";
import { holderName, type Publication, type Status } from "./publication.ts";

export function statusJson({ publication, checks, problems }: Status): string {
  if (publication === undefined) return JSON.stringify({ state: "unpublished", problems, checks });
  const { head, responses, state, ageSeconds } = publication;
  const { installationId, program, lease, at, nextCycleAt, log, sources, stream } = head;
  return JSON.stringify({
    state,
    ageSeconds,
    installationId,
    program,
    epoch: lease.epoch,
    holderName: holderName(head),
    renewedAt: formatTimestamp(lease.renewedAt),
    released: lease.released,
    lastCycleAt: lastCycleOf(at),
    nextCycleAt: nextCycleAt === null ? null : formatTimestamp(nextCycleAt),
    log,
    stream,
    sources,
    unfinished: unfinishedCount(head),
    responses,
    problems,
    checks,
  });
}

function lastCycleOf(at: number): string | null {
  return at === 0 ? null : formatTimestamp(at);
}

/** Responses and installations that are not confirmed yet. */
function unfinishedCount({ unfinished }: Publication["head"]): number {
  return unfinished.keys.length + unfinished.left.length;
}

/** `store` is the setting. */
export function statusLines(status: Status, store: string): string[] {
  const { publication, checks, problems, at } = status;
  if (publication !== undefined) return publicationLines({ ...publication, problems }, at);
  return [
    `No publication can be read from ${store}${trouble(problems)}.`,
    "",
    ...checks.map((check) => `${check.todo === null ? "ok " : "FIX"} ${check.check.padEnd(12)} ${lineOf(check)}`),
  ];
}

/** `now` is in epoch ms. */
function publicationLines(publication: Publication, now: number): string[] {
  const { head, responses, problems, store } = publication;
  const { lease, at, log, sources } = head;
  const lastCycle = lastCycleOf(at);
  const unfinished = unfinishedCount(head);
  return [
    sentence(publication, now),
    "",
    ...(responses.length === 0 ? [] : [...responseTable(publication, now), ""]),
    ...fields([
      ["store", store],
      ["lease", `epoch ${lease.epoch}, ${holderName(head)}, ${leaseState(head, now)}`],
      ["last cycle", lastCycle === null ? "none yet" : `${lastCycle} (${ago(lastCycle, now)})`],
      ["log", `${log.size} entries, ${log.form}`],
      ...(unfinished === 0 ? [] : [["unfinished", `${unfinished} objects`] as const]),
      ...sourceFields(sources, now),
      ...(problems.length === 0 ? [["problems", "none"] as const] : problems.map((one) => ["problem", one] as const)),
    ]),
  ];
}

function leaseState({ lease: { released, renewedAt, ttlMs } }: Publication["head"], now: number): string {
  if (released) return `released ${duration((now - renewedAt) / 1000)} ago`;
  const expiresAt = renewedAt + ttlMs;
  if (now < expiresAt) return `renewed ${duration((now - renewedAt) / 1000)} ago`;
  return `expired ${duration((now - expiresAt) / 1000)} ago`;
}

function sentence({ state, head, responses, problems, ageSeconds }: Publication, now: number): string {
  const name = holderName(head);
  const since = `${duration((now - head.lease.renewedAt) / 1000)} ago`;
  const publisher = {
    live: `Publishing: ${name} renewed the lease ${since}`,
    late: `Late: ${name} should have renewed the lease and did not for ${duration(ageSeconds)}`,
    stopped: head.lease.released
      ? `Ended: ${name} released the lease ${since}`
      : `Stopped: ${name} fell silent ${since}`,
  }[state];
  const without = responses.filter(({ problem }) => problem !== null).length;
  const foreseen = responses.filter(({ status }) => status === 503).length;
  const counts = [
    `${responses.length - without} responses are stored`,
    ...(foreseen === 0 ? [] : [`${foreseen} of them 503`]),
    ...(without === 0 ? [] : [`${without} cannot be read`]),
  ].join(", ");
  return `${publisher}; ${counts}${trouble(problems)}.`;
}

function trouble({ length }: readonly string[]): string {
  return length === 0 ? "" : `; ${length} problem${length === 1 ? "" : "s"}`;
}

function responseTable({ responses }: Publication, now: number): string[] {
  const rows = responses.map(({ route, asOf, status, nextChangeAt, problem }) => {
    const next = nextChangeAt === null ? "with new facts" : `in ${duration((Date.parse(nextChangeAt) - now) / 1000)}`;
    const age = asOf === null ? "" : duration((now - Date.parse(asOf)) / 1000);
    return [route, age, status ?? "none", problem ?? next];
  });
  return tableLines([["route", "age", "status", "next change"], ...rows]);
}

function sourceFields({ ledger, chain }: PublicRecord["sources"], now: number): [string, string][] {
  const newest = ledger.newestReceiptAt === null ? "" : `, newest receipt ${ago(ledger.newestReceiptAt, now)}`;
  const blocks =
    chain.indexedThroughBlock === null ? "" : `, head ${chain.indexedThroughBlock}, safe ${chain.safeThroughBlock}`;
  const pass = chain.lastGoodPassAt === null ? "" : `, last good pass ${ago(chain.lastGoodPassAt, now)}`;
  return [
    ["ledger", `${ledger.status}${newest}`],
    ["chain", `${chain.status}${blocks}${pass}`],
  ];
}

function fields(pairs: readonly (readonly [string, string])[]): string[] {
  return pairs.map(([name, text]) => `${name.padEnd(11)} ${text}`);
}

function ago(instant: string, now: number): string {
  return `${duration((now - Date.parse(instant)) / 1000)} ago`;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/**
 * Formats a duration: `3.1 s`, `12 min`, `4 h`, `9 d`. Another machine's clock may be ahead, so a negative one is `0.0
 * s`.
 */
export function duration(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds >= 2 * size);
  return unit === undefined ? `${Math.max(0, seconds).toFixed(1)} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
}
