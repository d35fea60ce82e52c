/** Waits for the lease, as a standby if another publisher holds it, then runs cycles until it is stopped. */
import type { Logger } from "pino";
import type { WatchedClock } from "../../../publish/clock/clock.ts";
import { systemTimers } from "../../../publish/clock/timers.ts";
import type { HeldHead } from "../../../publish/head/held-head.ts";
import { type Candidate, standby, waitForHead } from "../../../publish/head/take.ts";
import { Publisher, type PublisherOptions } from "../../../publish/publisher.ts";
import { watchedPublisher } from "../../../publish/schedule/health.ts";
import { runSchedule } from "../../../publish/schedule/schedule.ts";
import { StandbySources } from "../../../publish/standby-sources.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { reported } from "../failures.ts";
import { logProblem } from "../log.ts";
import type { Outages } from "../outage.ts";
import { pause } from "../signals.ts";
import { firstPublishDone } from "../small-heap.ts";
import { clockOutage, cycleLog, failureLog, standbyLedgerOutage } from "./publisher-log.ts";
import type { PublisherMonitor } from "./publisher-monitor.ts";
import type { RewriteReports } from "./rewrite-reports.ts";
import type { ServiceManager } from "./service-manager.ts";

/** The log, and the receivers of progress and problems. */
export interface Watchers {
  readonly log: Logger;
  /** Outages of the store and its disk. */
  readonly outage: Outages;
  readonly monitor: PublisherMonitor;
  readonly service: ServiceManager;
  readonly clock: WatchedClock;
  readonly rewrites: RewriteReports;
}

export interface Term {
  /** A cron pattern with seconds first, in UTC. */
  readonly cadence: string;
  readonly signal: AbortSignal;
}

/** Throws errors that end a publisher, such as a lost lease. */
export async function holdAndPublish(
  options: PublisherOptions,
  candidate: Omit<Candidate, "onTaken">,
  watchers: Watchers,
  term: Term,
): Promise<void> {
  const { signal } = term;
  const { log, outage } = watchers;
  for (;;) {
    try {
      return await heldOnce(options, candidate, watchers, term);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (signal.aborted) {
        logProblem(log, "stopped, but the store does not respond: the lease expires by itself", error);
        return;
      }
      if (error.isFinal) throw error;
      // The schedule handles outages. This one happened between taking the lease and the first cycle.
      outage.failed(error, "begin");
    }
    await pause(NEXT_TRY_MS, signal);
  }
}

/** Wait (ms) between two starts while the store does not respond. */
const NEXT_TRY_MS = 2_000;

async function heldOnce(
  options: PublisherOptions,
  candidate: Omit<Candidate, "onTaken">,
  watchers: Watchers,
  term: Term,
): Promise<void> {
  const { log, outage, monitor, service, clock, rewrites } = watchers;
  // After an outage at the beginning this process may wait as a standby, without the lease that it had.
  monitor.held = undefined;
  const held = await heldHead(options, candidate, watchers, term);
  if (held === undefined) return;
  const { cadence, signal } = term;
  monitor.held = held;
  service.began(`publishing to ${options.store.name}, epoch ${held.epoch}`);
  log.info({ epoch: held.epoch, store: options.store.name }, "publishing");
  let warned = false;
  const monotonic = () => clock.monotonic();
  const logCycle = cycleLog(log, monotonic);
  const logFailures = failureLog({ log, outage, monotonic });
  await Publisher.hold(options, held, (publisher) => {
    outage.succeeded("begin");
    monitor.publisher = publisher;
    return runSchedule(watchedPublisher(publisher, clock, monitor), {
      cadence,
      signal,
      clock,
      timers: systemTimers,
      onOutage: (error, operation) => outage.failed(error, operation),
      onSuccess: (operation) => outage.succeeded(operation),
      onTick: () => monitor.ticked(),
      onCycle: (report) => {
        logFailures(report);
        firstPublishDone();
        if (!warned) for (const warning of report.warnings) log.warn(reported(warning), "published all the same");
        warned ||= report.warnings.length > 0;
        rewrites.cycled(report.rows);
        logCycle(report);
      },
      onIdle: service.rested,
    });
  });
  log.info("stopped");
}

/** Returns the head; undefined if the signal ended the wait. */
function heldHead(
  options: PublisherOptions,
  candidate: Omit<Candidate, "onTaken">,
  { log, outage, monitor, service, clock }: Watchers,
  { signal }: Term,
): Promise<HeldHead | undefined> {
  const sources = new StandbySources(options);
  monitor.standby = sources;
  const refused = standbyLedgerOutage(log, () => clock.monotonic());
  const wrongClock = clockOutage(log, () => clock.monotonic());
  const attempts = standby({
    ...candidate,
    onTaken: (taken) => {
      if (taken.because !== "first" && taken.because !== "released") log.info(taken, "took over the lease");
    },
  });
  return waitForHead(attempts, {
    signal,
    async follow() {
      service.rested();
      try {
        await sources.followIfDue(attempts.head);
        outage.succeeded("follow");
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        outage.failed(error, "follow");
      }
      const failure = sources.ledger?.failure;
      if (failure === undefined) refused.succeeded();
      else refused.failed(failure);
    },
    pause: (ms) => pause(ms, signal),
    onWait: () => {
      service.began("standby: another publisher holds the lease");
      log.info("standby: another publisher holds the lease");
    },
    onSuccess: () => {
      monitor.waits();
      outage.succeeded("lease");
      wrongClock.succeeded();
    },
    onOutage: (error) => {
      monitor.waits(error);
      outage.failed(error, "lease");
    },
    onClock: (failure) => {
      service.began(`the clock is wrong (${failure.code}); publish waits`);
      monitor.health.failed(failure);
      outage.succeeded("lease");
      wrongClock.failed(failure);
    },
  });
}
