/** `noonmark publish` without --once: waits for the lease as a standby, then runs cycles until it is told to stop. */

import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { systemClock } from "../../../publish/clock/clock.ts";
import { systemTimers } from "../../../publish/clock/timers.ts";
import { standby } from "../../../publish/lease/acquire.ts";
import { waitForLease } from "../../../publish/lease/wait-for-lease.ts";
import { Publisher, type PublisherOptions } from "../../../publish/publisher.ts";
import type { CycleReport } from "../../../publish/puts/report.ts";
import type { LateTurn } from "../../../publish/schedule/cadence.ts";
import { runSchedule } from "../../../publish/schedule/schedule.ts";
import { watchedPublisher } from "../../../publish/schedule/watched-publisher.ts";
import { followChain } from "../../../publish/sources/follow-chain.ts";
import { Published } from "../../../publish/state/published.ts";
import { leaseIdentity } from "../../../publish/status/lease-identity.ts";
import { RequestTally } from "../../../publish/status/request-tally.ts";
import { type PollEvent, plainEvent } from "../../../src/chain/poll-event.ts";
import type { RpcOutcome } from "../../../src/chain/rpc/rpc-node.ts";
import { countedStore } from "../../../src/object-store/counted-store.ts";
import { rareReport } from "../../../src/shim/node/rare-report.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { createLog, logProblem } from "../log.ts";
import { startPublisherPage } from "../metrics/publisher-page.ts";
import { openConfiguredStore } from "../open-configured-store.ts";
import type { Settings } from "../settings/settings.ts";
import { askedToStop } from "../signals.ts";
import { openSources } from "../sources.ts";
import { untilNextRun } from "./next-run.ts";
import { PublisherMonitor } from "./publisher-monitor.ts";
import { type PublishFlags, publisherOptions } from "./publisher-options.ts";
import { putsAMonth, receiptPace } from "./put-estimate.ts";
import { minimumPutIntervalOf } from "./put-interval.ts";
import { serviceManager, systemdNotify } from "./service-manager.ts";
import { firstPublishDone, keepHeapSmall } from "./small-heap.ts";

/** The longest of one pass over the chain; a first sync goes on in the next. */
const PASS_LIMIT_MS = 30_000;

export async function publishOnCadence(settings: Settings, flags: PublishFlags): Promise<void> {
  keepHeapSmall();
  const log = await createLog(settings);
  const stop = new AbortController();
  const { signal } = stop;
  const service = serviceManager({
    environment: process.env,
    pid: process.pid,
    monotonic: systemClock.monotonic,
    notify: systemdNotify((error) => logProblem(log, "systemd cannot be told that this service runs", error)),
  });
  void askedToStop().then(() => {
    service.ending();
    stop.abort();
  });
  const monitor = new PublisherMonitor(systemClock.monotonic, untilNextRun(settings.cadence, systemClock.wall));
  const opened = await openConfiguredStore(settings, { write: true });
  const published = Published.open(settings.state);
  const requests = new RequestTally(published, systemClock.wall());
  const store = countedStore(opened, (operation, key, outcome) => {
    monitor.requested(operation, key, outcome);
    requests.count(operation, key);
  });
  let stopPage = async () => {};
  try {
    let common: ((wall: number) => number) | undefined;
    const now = () => common?.(systemClock.wall()) ?? systemClock.wall();
    stopPage = await startPublisherPage(settings, log, { monitor, published, now, monotonic: systemClock.monotonic });
    const onChainEvent = (event: PollEvent) => {
      monitor.chainTold(event);
      logChain(log, event);
    };
    const onRpcRequest = (outcome: RpcOutcome) => monitor.rpcRequested(outcome);
    const use = { state: "own", whole: false, now, onChainEvent, onRpcRequest } as const;
    const { reader, chain } = await openSources(settings, use);
    try {
      const onOutage = rareReport(
        (error, before) => logProblem(log, "the store does not answer", error, { before }),
        systemClock.monotonic,
      );
      const options = {
        ...publisherOptions(settings, flags, {
          store,
          reader,
          minimumPutInterval: minimumPutIntervalOf(settings.store),
        }),
        published,
        requests,
      };
      const { cadence, chainInterval } = settings;
      const onUnreadable = (forMs: number) =>
        log.warn({ key: "status.json", forMs }, "damaged, or no lease record: watched before it is taken anew");
      // From the beginning, as a standby too.
      const passes = followChain(chain, { interval: chainInterval * 1000, passLimit: PASS_LIMIT_MS, now, signal });
      try {
        const waiting = standby({
          store,
          clock: systemClock,
          identity: leaseIdentity(options),
          published,
          onUnreadable,
        });
        const lease = await waitForLease(monitor.watched(waiting), {
          signal,
          follow: () => {
            service.rested();
            return reader.follow(now());
          },
          pause: (ms) => wait(ms, undefined, { signal }).catch(() => {}),
          onWait: () => {
            service.began("standby: another publisher holds the lease");
            log.info("standby: another publisher holds the lease");
          },
          onOutage,
        });
        if (lease === undefined) return;
        monitor.lease = lease;
        service.began(`publishing to ${store.name}, epoch ${lease.epoch}`);
        log.info({ epoch: lease.epoch, store: store.name }, "publishing");
        if (options.minimumPutInterval > 0) logCosts(log, options, chain.state(now()).binding !== undefined);
        const publisher = await Publisher.begin(options, lease);
        monitor.publisher = publisher;
        common = (wall) => publisher.now(wall);
        let warned = false;
        const onCycle = (report: CycleReport) => {
          firstPublishDone();
          if (!warned) for (const warning of report.warnings) log.warn(warning, "published all the same");
          warned ||= report.warnings.length > 0;
          logCycle(log, report);
        };
        const onLate = (late: LateTurn) => log.warn(late, "a turn that had not come is run now");
        const clocks = { clock: systemClock, timers: systemTimers };
        const watched = watchedPublisher(publisher, systemClock, monitor);
        await runSchedule(watched, { cadence, ...clocks, signal, onCycle, onOutage, onLate, onRest: service.rested });
        await publisher.release();
        log.info("stopped");
      } finally {
        stop.abort();
        await passes;
      }
    } finally {
      reader.close();
    }
  } finally {
    requests.save();
    published.close();
    await stopPage();
  }
}

/** What it will cost, before it does (docs/storage.md, "What it costs"). */
function logCosts(log: Logger, options: PublisherOptions, hasChain: boolean): void {
  const receipts = options.reader.begin(systemClock.wall()).snapshot(receiptPace);
  log.info(
    { putsAMonth: putsAMonth({ ...options, receipts, hasChain }) },
    "estimate, at the pace of the last receipts",
  );
}

/** Chain news without a change of state, such as the good pass every few seconds, are for debugging. */
function logChain(log: Logger, event: PollEvent): void {
  if (event.type === "good" || event.type === "range") log.debug(plainEvent(event), "chain");
  else log.warn(plainEvent(event), "chain");
}

function logCycle(log: Logger, report: CycleReport): void {
  const put = report.rows.filter(({ action }) => action === "created" || action === "updated");
  for (const { key, why } of report.rows.filter(({ action }) => action === "failed"))
    log.error({ key, why }, "not published");
  for (const failure of report.failures) log.error(failure, "installation not published");
  if (put.length > 0)
    log.info({ at: formatTimestamp(report.at), put: put.length, keys: put.slice(0, 8).map(({ key }) => key) }, "cycle");
}
