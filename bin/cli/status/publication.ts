/** Combines the publisher's last report and a read of the store for `noonmark status`. */
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { readPrivateStatus } from "../../../publish/lease/holder.ts";
import { type LeaseRecord, readLease } from "../../../publish/lease/lease-record.ts";
import { readStandby, type StandbyRecord } from "../../../publish/lease/standby-record.ts";
import type { OperatorStatus } from "../../../publish/status/private-status.ts";
import { isNodeProblem, isProblem, problemFailure } from "../../../src/chain/poll-event.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import {
  type PublicRecord,
  type PublisherState,
  publisherState,
} from "../../../src/resources/publication-status/public-record.ts";
import { Failure } from "../../../src/values/failure.ts";
import { isDeviceSilent } from "../../../src/values/freshness.ts";
import { printableValues } from "../../../src/values/printable.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { reported } from "../hints.ts";
import { type Warning, warn } from "../messages.ts";
import { SILENT_DEVICE_HINT } from "../publish/publisher-log.ts";
import type { Finding } from "./finding.ts";
import { type PublishedResponse, publishedResponses } from "./published-responses.ts";

export interface Publication {
  readonly store: string;
  readonly state: PublisherState;
  readonly ageSeconds: number;
  readonly record: LeaseRecord;
  readonly responses: readonly PublishedResponse[];
  /** The standby that has asked for the lease last; null without one. */
  readonly standby: StandbyRecord | null;
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

/** Reads the publication in the store; undefined if nothing was ever published. `now` is in epoch ms. */
export async function readPublication(store: ObjectStore, now: number): Promise<Publication | undefined> {
  const found = await readLease(store);
  if (found === undefined) return undefined;
  const reported = new Set(Object.keys(found.record.report.resources ?? {}));
  const responses = await publishedResponses(store, reported, now);
  const record = joined(found.record, await readPrivateStatus(store, found.record).catch(notReadable));
  const standby = (await readStandby(store, record.holder, now)) ?? null;
  return printableValues(publicationOf(store.name, { record, responses, standby }, now));
}

/** Warns if the operator's report is not readable; `status` shows the rest. */
function notReadable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
  warn({
    code: "private_status_unreadable",
    message: `the publisher's report for the operator cannot be read (${error.message})`,
    hint: "Run this as the user that publishes, or with a key that may read private/*.",
  });
}

/** `record` includes the operator's report; `now` is in epoch ms. */
export function publicationOf(
  store: string,
  { record, responses, standby }: Pick<Publication, "record" | "responses" | "standby">,
  now: number,
): Publication {
  const ageSeconds = (now - Date.parse(record.renewedAt)) / 1000;
  const damaged = responses.filter(({ problem }) => problem !== null);
  const clock = clockProblems(record, responses, now);
  const { problems: count } = record.report;
  // The count is from the last renewal; the names may be five minutes older.
  const named =
    count === 0
      ? []
      : [
          ...byReason(entries(record.report.failed)),
          ...entries(record.report.failures).map(({ code, message, hint }) =>
            typeof hint === "string" ? `${code}: ${message}. ${hint}` : `${code}: ${message}`,
          ),
        ];
  const listed = entries(record.report.failed).length + entries(record.report.failures).length;
  const unnamed = typeof count === "number" && count > 0 ? count - listed : 0;
  return {
    store,
    state: publisherState(record, now),
    ageSeconds,
    record,
    responses,
    standby,
    problems: [
      ...silenceProblems(record, now),
      ...clock,
      ...standbyProblems(standby),
      ...chainProblems(record),
      ...damaged.map(({ route, problem }) => `${route}: ${problem}`),
      ...named.filter((one) => !clock.some((known) => codeOf(known) === codeOf(one))),
      ...(unnamed > 0 ? [`${unnamed} more that the publisher has not named yet: it does so every five minutes`] : []),
    ],
  };
}

/** Warns if the newest receipt was old when the publisher was last seen. That is no fault: a device may rest. */
export function silentDevice({ record, ageSeconds }: Publication, now: number): Warning[] {
  const newest = record.public?.sources.ledger.newestReceiptAt;
  if (newest == null || !isDeviceSilent(now - ageSeconds * 1000 - Date.parse(newest))) return [];
  const message = `the newest receipt is of ${newest}, more than 15 minutes ago`;
  return [{ code: "device_silent", message, hint: SILENT_DEVICE_HINT }];
}

function codeOf(problem: string): string {
  return problem.slice(0, problem.indexOf(": "));
}

/** A publisher that released its lease has ended on purpose, as every `publish --once` does. */
function silenceProblems(record: LeaseRecord, now: number): string[] {
  if (record.released || publisherState(record, now) === "live") return [];
  const seconds = Math.round((now - Date.parse(record.renewedAt)) / 1000);
  const silent = `${record.holderName} holds the lease and has been silent for ${seconds} s`;
  return [`publisher_silent: ${silent}. See why in its log (journalctl -u noonmark-publish), and start a publisher`];
}

/** A standby that is only behind gets its facts by a stream or a restore. A forked ledger never continues the log. */
function standbyProblems(standby: StandbyRecord | null): string[] {
  const failure = standby?.ledger?.failure;
  if (failure?.code !== "ledger_forked") return [];
  return [`${failure.code}: the standby, ${standby?.name}, cannot take over: ${failure.message}. ${failure.hint}`];
}

/** Finds clock problems: the publisher ended because its clock had moved, or this host's is behind the published objects. */
function clockProblems(record: LeaseRecord, responses: readonly PublishedResponse[], now: number): string[] {
  const { clockMoved, lastCycleAt } = record;
  const problems: string[] = [];
  if (clockMoved) {
    problems.push("clock_moved: the publisher's clock moved; publishing goes on once it has been steady for a minute");
  }
  const published = [
    { what: "the last cycle", at: lastCycleAt },
    ...responses.map(({ route, asOf }) => ({ what: route, at: asOf })),
  ];
  for (const { what, at } of published) {
    const instant = at === null ? Number.NaN : Date.parse(at);
    if (!isAhead(instant, now)) continue;
    const { code, message, hint } = reported(clockBehind(what, instant, now));
    problems.push(`${code}: ${message}. ${hint}`);
    // One is enough here; `fsck` lists all.
    break;
  }
  return problems;
}

/**
 * Finds the chain's problem in the publisher's last report for the operator, which may be five minutes old. A node that
 * failed is no problem once the chain is followed again.
 */
function chainProblems({ report, public: publicRecord }: LeaseRecord): string[] {
  const chain = fieldsOf(fieldsOf(report.sources).chain);
  const now = publicRecord?.sources.chain;
  const isOver = chain.type === "failed" && Date.parse(String(chain.since)) < Date.parse(now?.lastGoodPassAt ?? "");
  if (!isProblem(chain) || isOver) return now?.status === "silent" ? [silentChain(now)] : [];
  const lasts = chain.type === "mismatch" || isNodeProblem(chain);
  if (!lasts && now?.status === "followed") return [];
  const { code, message, hint } = reported(problemFailure(chain));
  const since = "since" in chain ? ` (since ${chain.since})` : "";
  return [`${code}: ${message}${since}. ${hint}`];
}

/** The lease has the state of the chain at its last renewal, the older report the error of the node. */
function silentChain({ lastGoodPassAt }: PublicRecord["sources"]["chain"]): string {
  const since = lastGoodPassAt === null ? "" : ` since ${lastGoodPassAt}`;
  const { code, message, hint } = reported(
    new Failure("indexer_unavailable", `no node has responded as it should${since}`),
  );
  return `${code}: ${message}. ${hint} The publisher's log has the error: journalctl -u noonmark-publish`;
}

/** Adds the holder's report for the operator, if any. */
export function joined(record: LeaseRecord, operator: OperatorStatus | undefined): LeaseRecord {
  if (operator === undefined) return record;
  const { failed = [], failures = [], warnings = [], sources = {}, worst = [], holderName } = operator;
  const both = holderName === record.holderName ? holderName : `${holderName} (${record.holderName})`;
  return { ...record, holderName: both, report: { ...record.report, failed, failures, warnings, sources, worst } };
}

/** One reason may hold for many objects: `KEY, KEY: why`. */
function byReason(failed: readonly Record<string, unknown>[]): string[] {
  const reasons = Map.groupBy(failed, ({ why }) => why);
  return [...reasons].map(([why, rows]) => `${rows.map(({ key }) => key).join(", ")}: ${why}`);
}

/** Returns the objects of a list, whose form is not fixed. */
function entries(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}
