/** Runs `noonmark publish` without --once: opens its dependencies, publishes on the cadence, and closes them. */

import { existsSync } from "node:fs";
import type { Logger } from "pino";
import { systemClock, WatchedClock } from "../../../publish/clock/clock.ts";
import { clockMoved, isClockFailure } from "../../../publish/clock/compare.ts";
import { nextMatchOf, systemTimers } from "../../../publish/clock/timers.ts";
import { StateDirectory } from "../../../publish/state-directory.ts";
import type { Chain } from "../../../src/chain/chain.ts";
import { optionalPackage, packageVersion } from "../../../src/files/package-file.ts";
import { countedStore } from "../../../src/object-store/counted-store.ts";
import { type StoreLocation, storeLocation } from "../../../src/object-store/location.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { openPublishedStore } from "../configured-store.ts";
import { hintOf, reported } from "../failures.ts";
import { createLog, loggedToItsEnd, logProblem, metricsLog } from "../log.ts";
import { type Health, startMetricsPage } from "../metrics/metrics-page.ts";
import type { Outages } from "../outage.ts";
import { configurationPath } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { askedToStop, pause } from "../signals.ts";
import { keepHeapSmall } from "../small-heap.ts";
import { openSources } from "../sources.ts";
import { holdAndPublish } from "./hold-and-publish.ts";
import { judgeInstallation } from "./judge-settings.ts";
import { chainLog, publisherOutages } from "./publisher-log.ts";
import { PublisherMonitor } from "./publisher-monitor.ts";
import { candidateOf, type PublishFlags, publisherOptions } from "./publisher-options.ts";
import { RewriteReports } from "./rewrite-reports.ts";
import { type ServiceManager, serviceManager, systemdNotify } from "./service-manager.ts";

/**
 * The pace of puts (docs/spec/publishing.md#the-cycle): the minimum ms between two puts of one key, and between two
 * swaps of the head. Object storage charges for puts, and R2 and GCS accept one put a second for a key.
 */
const PACES = {
  directory: { minimumPutInterval: 0, swapInterval: 0 },
  s3: { minimumPutInterval: 5_000, swapInterval: 2_000 },
} as const satisfies Record<StoreLocation["kind"], unknown>;

/** Time limit (ms) of a pass over the chain; the next pass continues a first sync. */
const PASS_LIMIT_MS = 30_000;

export async function publishOnCadence(settings: Settings, flags: PublishFlags): Promise<void> {
  keepHeapSmall();
  const clock = new WatchedClock(systemClock);
  const log = await createLog(settings);
  const ending = new AbortController();
  void askedToStop().then(() => ending.abort());
  await loggedToItsEnd(log, settings, async () => {
    while (!ending.signal.aborted) {
      const moves = clock.moves;
      try {
        await publishSession(settings, flags, { log, clock, ending: ending.signal });
        if (clock.moves === moves) return;
      } catch (error) {
        if (!isClockFailure(error)) throw error;
        if (error.code !== "clock_moved") log.warn({ code: error.code, hint: hintOf(error) }, error.message);
      }
      if (clock.moves > moves) {
        const { code, message, hint } = reported(clockMoved(clock.movedMs));
        log.warn({ code, movedByMs: clock.movedMs, hint }, `${message}: publish begins again`);
      }
      await pause(NEXT_SESSION_MS, ending.signal);
    }
  });
}

/** Wait (ms) before a new session, after the clock moved or was found wrong. */
const NEXT_SESSION_MS = 5_000;

interface SessionOptions {
  readonly log: Logger;
  readonly clock: WatchedClock;
  readonly ending: AbortSignal;
}

/** Ends at the signal, or when the clock has moved. Throws what ends a publisher. */
async function publishSession(
  settings: Settings,
  flags: PublishFlags,
  { log, clock, ending }: SessionOptions,
): Promise<void> {
  const { monotonic } = systemClock;
  const { installationId, ledger, store: where, state, deployment = "none" } = settings;
  const version = packageVersion();
  const path = configurationPath({ config: flags.config });
  const config = existsSync(path) ? path : "none";
  log.info(
    { version, installation: installationId, ledger, chain: deployment, store: where, state, config },
    "starting",
  );
  const stop = new AbortController();
  const { signal } = stop;
  const outage = publisherOutages(log, monotonic);
  const notify = systemdNotify((error) => logProblem(log, "systemd cannot be notified that this service runs", error));
  const service = serviceManager({ environment: process.env, pid: process.pid, monotonic, notify });
  const end = () => {
    service.ending();
    stop.abort();
  };
  ending.addEventListener("abort", end, { once: true });
  const monitor = new PublisherMonitor(clock, nextMatchOf(settings.cadence));
  const directory = StateDirectory.open(settings.state);
  const rewrites = new RewriteReports((key) => log.warn({ key }, "a missing or damaged object was rewritten"));
  const now = () => monitor.now();
  const movesBefore = clock.moves;
  const stopLooking = systemTimers.every(CHECK_INTERVAL_MS, () => {
    clock.check();
    if (clock.moves > movesBefore) stop.abort();
  });
  let stopPage = async () => {};
  try {
    stopPage = await startMetricsPage(settings.metrics, async () => {
      const { publisherRegistry } = await optionalPackage(
        "@prometheus-io/client",
        () => import("../metrics/publisher-metrics.ts"),
      );
      const registry = publisherRegistry(monitor);
      return { registry, health: () => healthOf(monitor), ...metricsLog(log) };
    });
    const opened = await openedStore(settings, { state: directory, outage, monitor, service, signal });
    if (opened === undefined) return;
    const store = countedStore(opened, (operation, key, outcome) => {
      monitor.requested(operation, key, outcome);
      rewrites.requested(operation, key, outcome);
    });
    const logChain = chainLog(log, monotonic);
    const { reader, chain } = await openSources(settings, {
      state: "own",
      whole: false,
      now,
      onEvent: (event) => {
        monitor.chainEvent(event);
        logChain(event);
      },
      onRequest: (outcome) => monitor.rpcRequested(outcome),
    });
    // A standby also follows the chain.
    const interval = settings.chainInterval * 1000;
    const passes = followChain(chain, { interval, passLimit: PASS_LIMIT_MS, now, signal });
    try {
      judgeInstallation(flags, reader, now());
      const opened = { store, reader, clock, state: directory };
      const options = {
        ...publisherOptions(settings, flags, opened),
        ...PACES[storeLocation(settings.store)?.kind ?? "directory"],
      };
      await holdAndPublish(
        options,
        candidateOf(options, { publishLog: flags.publishLog ?? false }),
        { log, outage, monitor, service, clock, rewrites },
        {
          cadence: settings.cadence,
          signal,
        },
      );
    } finally {
      stop.abort();
      await passes;
      reader.close();
    }
  } finally {
    ending.removeEventListener("abort", end);
    stopLooking();
    directory.close();
    await stopPage();
  }
}

/** A standby that waits for the lease is healthy, even if its ledger is refused: a restart would not change that. */
function healthOf(monitor: PublisherMonitor): Health {
  const { isWell, phase, quietSeconds, reason } = monitor.state();
  const about = { phase, ready: monitor.isReady, lastTurnSecondsAgo: quietSeconds };
  return { isWell, body: isWell ? { status: "ok", ...about } : { status: "failing", reason, ...about } };
}

/** Wait (ms) between two attempts to open a store that does not respond. */
const OPEN_AGAIN_MS = 5_000;

interface Opening {
  readonly state: StateDirectory;
  readonly outage: Outages;
  readonly monitor: PublisherMonitor;
  readonly service: ServiceManager;
  readonly signal: AbortSignal;
}

/** Opens the store, and retries while it does not respond. Undefined if the signal ended the wait. */
async function openedStore(settings: Settings, opening: Opening): Promise<ObjectStore | undefined> {
  const { state, outage, monitor, service, signal } = opening;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const store = await openPublishedStore(settings, state);
      outage.succeeded("open");
      return store;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.isFinal) throw error;
      if (isFirst) service.began("the store does not respond; publish tries it again");
      service.rested();
      monitor.health.failed(error);
      outage.failed(error, "open");
    }
    await pause(OPEN_AGAIN_MS, signal);
  }
  return undefined;
}

/** Interval (ms) of the checks of the host's clock. */
const CHECK_INTERVAL_MS = 1_000;

interface FollowOptions {
  /** Milliseconds between two passes. */
  readonly interval: number;
  /** Time limit (ms) of a pass. The next pass continues. */
  readonly passLimit: number;
  /** Epoch ms. */
  now(): number;
  readonly signal: AbortSignal;
}

/** Runs passes over the chain until the signal is aborted. Cycles publish their results. */
async function followChain(chain: Chain, options: FollowOptions): Promise<void> {
  const { signal, interval, passLimit } = options;
  while (!signal.aborted) {
    const now = options.now();
    await chain.poll(now, now + passLimit);
    await pause(interval, signal);
  }
}
