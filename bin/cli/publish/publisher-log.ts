/** The lines of a publisher about its store, clock, cycles and nodes. Repeated events become one line. */
import type { Logger } from "pino";
import type { CycleReport, ReportRow } from "../../../publish/report.ts";
import { isLocked } from "../../../publish/sources/source-reader.ts";
import { type PollEvent, type ProblemEvent, plainEvent, problemFailure } from "../../../src/chain/poll-event.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { Failure } from "../../../src/values/failure.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { hintOf, reported } from "../failures.ts";
import { logProblem } from "../log.ts";
import { endingOf } from "../messages.ts";
import { Outage, type Outages } from "../outage.ts";

type Monotonic = () => number;

/**
 * The store does not respond, a disk is full, or another process writes to the projections: each is an outage of its
 * own.
 */
export function publisherOutages(log: Logger, monotonic: Monotonic): Outages {
  const outage = (lasts: string, ended: string) =>
    new Outage(monotonic, {
      lasts: (error, failures) =>
        logProblem(log, `${lasts}: publish tries it again`, error, {
          code: fieldsOf(error).code,
          failures,
          hint: hintOf(endingOf(error)),
        }),
      ended: (afterMs) => log.info({ afterMs }, ended),
    });
  const store = outage("the store does not respond", "the store responds again");
  const disk = outage("a disk is full", "everything that the full disk refused is written");
  const lock = outage("another process has locked the projections", "the projections are free again");
  return {
    failed: (error, operation) => (isDiskFull(error) ? disk : isLocked(error) ? lock : store).failed(error, operation),
    succeeded(operation) {
      for (const one of [store, disk, lock]) one.succeeded(operation);
    },
  };
}

/** The clock is wrong. */
export function clockOutage(log: Logger, monotonic: Monotonic): Outage<Failure> {
  return new Outage(monotonic, {
    lasts: (failure) => log.warn({ code: failure.code, hint: hintOf(failure) }, `${failure.message}: publish waits`),
    ended: (afterMs) => log.info({ afterMs }, "the clock is right again"),
  });
}

/** The ledger of a standby does not contain the published log. */
export function standbyLedgerOutage(log: Logger, monotonic: Monotonic): Outage<Failure> {
  return new Outage(monotonic, {
    lasts(failure, checks) {
      const { code, message, hint } = reported(failure);
      log.error({ code, hint, checks }, `the standby does not follow its ledger: ${message}`);
    },
    ended: (afterMs) => log.info({ afterMs }, "the standby follows its ledger, which contains the published log"),
  });
}

export interface Watched {
  readonly log: Logger;
  /** Outages of the store and its disk. */
  readonly outage: Outages;
  readonly monotonic: Monotonic;
}

/** Logs what is not published. A report lists a failed object until that object is put. */
export function failureLog({ log, outage, monotonic }: Watched): (report: CycleReport) => void {
  const unpublished = new Outage<readonly ReportRow[]>(monotonic, {
    lasts: (rows, failures) => {
      const keys = rows.slice(0, 8).map(({ key }) => key);
      const { why, code } = rows[0] ?? {};
      log.error({ code, objects: rows.length, keys, failures }, `objects are not published: ${why}`);
    },
    ended: (afterMs) => log.info({ afterMs }, "every object is published again"),
  });
  const refused = new Map<string, Outage<Failure>>();
  return ({ rows, failures }) => {
    const failed = rows.filter(({ action }) => action === "failed");
    for (const code of OUTAGES) {
      const away = failed.find((row) => row.code === code);
      if (away === undefined) outage.succeeded(code);
      else outage.failed(new Failure(code, away.why), code);
    }
    // A cycle that did not throw has written the state that an earlier one could not write.
    outage.succeeded("cycle");
    const others = failed.filter((row) => !isOutage(row));
    if (others.length === 0) unpublished.succeeded();
    else unpublished.failed(others);
    for (const failure of failures) {
      const known = refused.get(failure.code) ?? refusedOutage(failure.code, log, monotonic);
      refused.set(failure.code, known);
      known.failed(failure);
    }
    for (const [code, known] of refused) if (!failures.some((failure) => failure.code === code)) known.succeeded();
  };
}

/** Codes of rows that pass by themselves. */
const OUTAGES = ["store_unavailable", "disk_full"] as const;

function isOutage({ code }: ReportRow): boolean {
  return code === "store_unavailable" || code === "disk_full";
}

function refusedOutage(code: string, log: Logger, monotonic: Monotonic): Outage<Failure> {
  return new Outage(monotonic, {
    lasts: (failure, failures) =>
      log.error({ code, hint: hintOf(failure), failures }, `not published: ${failure.message}`),
    ended: (afterMs) => log.info({ code, afterMs }, `${code} is over: publish goes on`),
  });
}

/** Interval (ms) of the summary of cycles that put something. The level `debug` logs each one. */
const CYCLES_LOGGED_EVERY_MS = 60_000;

/** Logs the first cycle that puts something immediately. A line each second would wear out a small disk. */
export function cycleLog(log: Logger, monotonic: Monotonic): (report: CycleReport) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let cycles = 0;
  let puts = 0;
  return (report) => {
    const put = report.rows.filter(({ action }) => action === "created" || action === "updated");
    if (put.length === 0) return;
    cycles += 1;
    puts += put.length;
    const keys = put.slice(0, 8).map(({ key }) => key);
    const isDue = monotonic() - loggedAt >= CYCLES_LOGGED_EVERY_MS;
    log[isDue ? "info" : "debug"]({ at: formatTimestamp(report.at), cycles, put: puts, keys }, "cycle");
    if (!isDue) return;
    loggedAt = monotonic();
    cycles = 0;
    puts = 0;
  };
}

/** Logs the chain's events. Good passes and stored ranges are logged at `debug`, because they occur every few seconds. */
export function chainLog(log: Logger, monotonic: Monotonic): (event: PollEvent) => void {
  /** By node, then by kind of fault. */
  const outages = new Map<string, Map<string, Outage<ProblemEvent>>>();
  return (event) => {
    const ofNode = outages.get(event.node) ?? new Map<string, Outage<ProblemEvent>>();
    outages.set(event.node, ofNode);
    log.debug(plainEvent(event), "chain");
    if (event.kind === "range") return;
    if (event.kind === "good") {
      // A good pass without new blocks does not show that a node agrees again.
      for (const [kind, outage] of ofNode) if (kind !== "disagreement") outage.succeeded();
      return;
    }
    const kind = "check" in event ? `${event.kind} ${event.check}` : event.kind;
    const outage = ofNode.get(kind) ?? nodeOutage(event.node, log, monotonic);
    ofNode.set(kind, outage);
    outage.failed(event);
  };
}

function nodeOutage(node: string, log: Logger, monotonic: Monotonic): Outage<ProblemEvent> {
  let code: string | undefined;
  return new Outage(monotonic, {
    lasts: (event, failures) => {
      const failure = reported(problemFailure(event));
      code = failure.code;
      log.warn({ code, node, hint: failure.hint, failures }, failure.message);
    },
    ended: (afterMs) => log.info({ code, node, afterMs }, "the node gives good responses again"),
  });
}
