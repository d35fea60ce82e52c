/** Formats the status for people: one sentence, responses, sources, lease, problems. */
import type { OtherInstallations, WorstInstallation } from "../../../publish/status/public-status.ts";
import type { PublicRecord } from "../../../src/resources/publication-status/public-record.ts";
import { tableLines } from "../table.ts";
import { lineOf } from "./finding.ts";
import type { Publication, Status } from "./publication.ts";

export function statusJson({ publication, checks, problems }: Status): string {
  if (publication === undefined) return JSON.stringify({ state: "unpublished", problems, checks });
  const { record, standby, responses, state, ageSeconds } = publication;
  return JSON.stringify({ ageSeconds, ...record, standby, state, responses, problems, checks });
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
export function publicationLines(publication: Publication, now: number): string[] {
  const { record, standby, responses, problems, store } = publication;
  return [
    sentence(publication, now),
    "",
    ...(responses.length === 0 ? [] : [...responseTable(publication, now), ""]),
    ...fields([
      ["store", store],
      ["lease", `epoch ${record.epoch}, ${record.holderName}, ${leaseState(record, now)}`],
      ...standbyField(standby, now),
      ...clockField(record.clockSkewMs),
      [
        "last cycle",
        record.lastCycleAt === null ? "none yet" : `${record.lastCycleAt} (${ago(record.lastCycleAt, now)})`,
      ],
      ...othersField(record.report.others, record.report.worst, now),
      ...(record.public === null ? [] : sourceFields(record.public.sources, now)),
      ...(problems.length === 0 ? [["problems", "none"] as const] : problems.map((one) => ["problem", one] as const)),
    ]),
  ];
}

function leaseState({ released, renewedAt, ttlMs }: Publication["record"], now: number): string {
  if (released) return `released ${ago(renewedAt, now)}`;
  const expiresAt = Date.parse(renewedAt) + ttlMs;
  if (now < expiresAt) return `renewed ${ago(renewedAt, now)}`;
  return `expired ${duration((now - expiresAt) / 1000)} ago`;
}

function sentence({ state, record, responses, problems, ageSeconds }: Publication, now: number): string {
  const publisher = {
    live: `Publishing: ${record.holderName} renewed the lease ${ago(record.renewedAt, now)}`,
    late: `Late: ${record.holderName} should have renewed the lease and did not for ${duration(ageSeconds)}`,
    stopped: record.released
      ? `Ended: ${record.holderName} released the lease ${ago(record.renewedAt, now)}`
      : `Stopped: ${record.holderName} fell silent ${ago(record.renewedAt, now)}`,
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
  return tableLines(["route", "age", "status", "next change"], rows, { hasLines: false });
}

function standbyField(standby: Publication["standby"], now: number): [string, string][] {
  if (standby === null) return [];
  const { name, at, ledger } = standby;
  const failure = ledger?.failure;
  const state = ledger === null ? "ledger not checked yet" : `ledger ${ledger.status}`;
  const readiness = failure == null ? state : `not ready: ${failure.code}: ${failure.message}`;
  return [["standby", `${name}, asked for the lease ${ago(at, now)}, ${readiness}`]];
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

/** Formats the other installations: their number, the lag, and the one with the greatest lag. */
function othersField(others: unknown, worst: unknown, now: number): [string, string][] {
  const { count = 0, unread = 0, overdue = 0, oldestAt = null } = (others ?? {}) as Partial<OtherInstallations>;
  if (count + unread === 0) return [];
  const oldest = oldestAt === null ? "" : `, the oldest response ${ago(oldestAt, now)}`;
  const named = (Array.isArray(worst) ? (worst as WorstInstallation[]) : []).slice(0, overdue);
  const which = named.length === 0 ? "" : `: ${named.map(({ installationId }) => installationId).join(", ")}`;
  const rest = unread === 0 ? "" : `; ${unread} more have not moved since an earlier publisher`;
  const number = count === 1 ? "1 installation" : `${count} installations`;
  return [["others", `${number}${oldest}, ${overdue} overdue${which}${rest}`]];
}

function clockField(skewMs: number | null): [string, string][] {
  if (skewMs === null) return [];
  return [["clock", `${duration(Math.abs(skewMs) / 1000)} ${skewMs > 0 ? "ahead of" : "behind"} the store's`]];
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

/** Formats a duration: `3.1 s`, `12 min`, `4 h`, `9 d`. Another machine's clock may be ahead, so a negative one is `0.0 s`. */
export function duration(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds >= 2 * size);
  return unit === undefined ? `${Math.max(0, seconds).toFixed(1)} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
}
