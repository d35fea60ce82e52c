/** Waits for the lease, as a standby if another publisher holds it, then runs cycles until it is stopped. */
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { systemTimers, type WatchedClock } from "../../../publish/clock/clock.ts";
import type { Lease } from "../../../publish/lease/lease.ts";
import { standby, waitForLease } from "../../../publish/lease/take.ts";
import { checkOwner } from "../../../publish/prefix-owner.ts";
import { Publisher, type PublisherOptions } from "../../../publish/publisher.ts";
import type { CycleReport } from "../../../publish/report.ts";
import { watchedPublisher } from "../../../publish/schedule/health.ts";
import { runSchedule } from "../../../publish/schedule/schedule.ts";
import { leaseIdentity } from "../../../publish/status/public-status.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { logProblem, rareReport } from "../log.ts";
import type { PublisherMonitor } from "./publisher-monitor.ts";
import type { Repairs } from "./repairs.ts";
import type { ServiceManager } from "./service-manager.ts";
import { firstPublishDone } from "./small-heap.ts";

/** The log, and the receivers of progress and problems. */
export interface Watchers {
  readonly log: Logger;
  readonly monitor: PublisherMonitor;
  readonly service: ServiceManager;
  readonly clock: WatchedClock;
  readonly repairs: Repairs;
}

export interface Term {
  /** A cron pattern with seconds first, in UTC. */
  readonly cadence: string;
  readonly signal: AbortSignal;
}

/** Throws errors that end a publisher, such as a lost lease. */
export async function holdAndPublish(options: PublisherOptions, watchers: Watchers, term: Term): Promise<void> {
  const { signal } = term;
  for (;;) {
    try {
      return await heldOnce(options, watchers, term);
    } catch (error) {
      // The schedule handles outages. This one happened between taking the lease and the first cycle.
      if (signal.aborted || !(error instanceof StoreUnavailable) || error.isFinal) throw error;
      logProblem(watchers.log, "the store does not respond: the publisher begins again", error);
    }
    await wait(BEGIN_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Wait (ms) between two starts while the store does not respond. */
const BEGIN_AGAIN_MS = 2_000;

async function heldOnce(options: PublisherOptions, watchers: Watchers, term: Term): Promise<void> {
  const { log, monitor, service, clock, repairs } = watchers;
  const outage = outageLog(log, clock);
  const lease = await heldLease(options, watchers, term, outage.began);
  if (lease === undefined) return;
  outage.ended();
  const { cadence, signal } = term;
  monitor.lease = lease;
  service.began(`publishing to ${options.store.name}, epoch ${lease.epoch}`);
  log.info({ epoch: lease.epoch, store: options.store.name }, "publishing");
  let warned = false;
  const logCycle = cycleLog(log, () => clock.monotonic());
  await Publisher.hold(options, lease, (publisher) => {
    monitor.publisher = publisher;
    return runSchedule(watchedPublisher(publisher, clock, monitor), {
      cadence,
      signal,
      clock,
      timers: systemTimers,
      onOutage: outage.began,
      onTick: () => monitor.ticked(),
      onCycle: (report) => {
        outage.ended();
        firstPublishDone();
        if (!warned) for (const warning of report.warnings) log.warn(warning, "published all the same");
        warned ||= report.warnings.length > 0;
        repairs.cycled(report.rows);
        logCycle(report);
      },
      onRest: service.rested,
    });
  });
  log.info("stopped");
}

/** Logs an outage immediately, then at most every ten seconds, and its end once. */
function outageLog(log: Logger, clock: WatchedClock): { began(error: Error): void; ended(): void } {
  let since: number | undefined;
  let isFull = false;
  const report = rareReport(
    (error, before) => {
      const what = isFull
        ? "a disk is full: publishing continues once it has free space"
        : "the store does not respond";
      logProblem(log, what, error, { before });
    },
    () => clock.monotonic(),
  );
  return {
    began(error) {
      since ??= clock.monotonic();
      isFull = isDiskFull(error);
      report(error);
    },
    ended() {
      if (since === undefined) return;
      const what = isFull ? "the disk has free space again: publishing continues" : "the store responds again";
      log.info({ afterMs: Math.round(clock.monotonic() - since) }, what);
      since = undefined;
    },
  };
}

/** Returns the lease; undefined if the signal ended the wait. */
function heldLease(
  options: PublisherOptions,
  { log, monitor, service, clock }: Watchers,
  { signal }: Term,
  onOutage: (error: Error) => void,
): Promise<Lease | undefined> {
  const { store, known, reader } = options;
  let waitsFor: string | undefined;
  const attempts = standby({
    store,
    clock,
    identity: leaseIdentity(options),
    known,
    check: () => checkOwner(options),
    onTaken: (taken) => {
      if (taken.because !== "first" && taken.because !== "released") log.info(taken, "took over the lease");
    },
    onUnreadable: (forMs) =>
      log.warn({ key: "status.json", forMs }, "damaged, or no lease record: watched before it is taken"),
  });
  return waitForLease(monitor.watched(attempts), {
    signal,
    follow: () => {
      service.rested();
      return reader.follow(monitor.now());
    },
    pause: (ms) => wait(ms, undefined, { signal }).catch(() => {}),
    onWait: () => {
      service.began("standby: another publisher holds the lease");
      log.info("standby: another publisher holds the lease");
    },
    onOutage,
    onClock: (failure) => {
      service.began(`the clock is wrong (${failure.code}); publish waits`);
      monitor.health.failed(failure);
      if (waitsFor !== failure.code)
        log.warn({ code: failure.code, hint: failure.hint }, `${failure.message}: publish waits`);
      waitsFor = failure.code;
    },
  });
}

/** Interval (ms) of the summary of cycles that put something. The level `debug` logs each one. */
const CYCLES_LOGGED_EVERY_MS = 60_000;

/** Logs the first cycle that puts something immediately. A line each second would wear out a small disk. */
export function cycleLog(log: Logger, monotonic: () => number): (report: CycleReport) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let cycles = 0;
  let puts = 0;
  return (report) => {
    logFailures(log, report);
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

function logFailures(log: Logger, report: CycleReport): void {
  for (const { key, why } of report.rows.filter(({ action }) => action === "failed"))
    log.error({ key, why }, "not published");
  for (const failure of report.failures) log.error(failure, "installation not published");
}
