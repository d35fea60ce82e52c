/** The metrics of a publisher. */
import { Histogram, type Registry } from "@prometheus-io/client";
import type { Known } from "../../../publish/known.ts";
import type { ReportRow } from "../../../publish/report.ts";
import { CYCLE_OUTCOMES, type CycleOutcome } from "../../../publish/schedule/health.ts";
import { ANSWERS } from "../../../publish/status/public-status.ts";
import type { PublisherMonitor } from "../publish/publisher-monitor.ts";
import { collectedCounter, collectedGauge, oneOf, type Sample, single } from "./collected.ts";
import { processRegistry } from "./process-registry.ts";
import { sourceMetrics } from "./source-metrics.ts";
import type { WatchedPublisher } from "./watched-publisher.ts";

/** Seconds; a cycle that puts nothing takes some milliseconds, one over S3 with a takeover some minutes. */
const CYCLE_BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const PHASES = ["starting", "standby", "publishing"] as const;

export function publisherRegistry(watched: WatchedPublisher): Registry {
  const registry = processRegistry();
  responseMetrics(registry, watched);
  cycleMetrics(registry, watched);
  storeMetrics(registry, watched.monitor);
  leaseMetrics(registry, watched.monitor);
  clockMetrics(registry, watched.monitor);
  sourceMetrics(registry, watched);
  return registry;
}

function responseMetrics(registry: Registry, { known, now }: WatchedPublisher): void {
  const ofEach = (value: (object: NonNullable<ReturnType<Known["get"]>>) => number) =>
    function* (): Iterable<Sample> {
      for (const [route, key] of ANSWERS) {
        const object = known.get(key);
        if (object?.condition === "stored") yield { labels: { route }, value: value(object) };
      }
    };
  const name = "noonmark_answer_age_seconds";
  const help = "Age of the published response: time since the instant that it was computed for.";
  collectedGauge(
    registry,
    { name, help, labels: ["route"] },
    ofEach(({ asof }) => (now() - asof.at) / 1_000),
  );
  collectedGauge(
    registry,
    { name: "noonmark_answer_status_code", help: "HTTP status of the published response.", labels: ["route"] },
    ofEach(({ status }) => status),
  );
}

function cycleMetrics(registry: Registry, { monitor }: WatchedPublisher): void {
  const cycles = new Histogram({
    name: "noonmark_cycle_duration_seconds",
    help: "Cycles by outcome: done, partial (something could not be published), outage (passes by itself), failed.",
    labelNames: ["outcome"],
    buckets: CYCLE_BUCKETS,
    registers: [registry],
  });
  // An alert on an outcome that has not happened yet needs its zero.
  for (const outcome of CYCLE_OUTCOMES) cycles.zero({ outcome });
  monitor.onCycle = (outcome: CycleOutcome, seconds: number) => cycles.observe({ outcome }, seconds);
  collectedGauge(
    registry,
    {
      name: "noonmark_unpublished",
      help: "Resources that the last cycle could not publish, by the code of their failure; absent without any.",
      labels: ["code"],
    },
    () => failuresOf(monitor),
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_turn_age_seconds",
      help: "Time since a tick of the schedule finished, or a standby asked for the lease.",
    },
    () => single(monitor.state().quietSeconds),
  );
  collectedGauge(
    registry,
    { name: "noonmark_healthy", help: "1 while /healthz is 200; its body has the reason if it is not." },
    () => single(monitor.state().isWell ? 1 : 0),
  );
}

function* failuresOf({ publisher }: PublisherMonitor): Iterable<Sample> {
  const counts = new Map<string, number>();
  const add = (code: string) => counts.set(code, (counts.get(code) ?? 0) + 1);
  for (const { code } of publisher?.last?.failures ?? []) add(code);
  for (const row of publisher?.last?.rows ?? []) if (row.action === "failed") add(codeOf(row));
  for (const [code, value] of counts) yield { labels: { code }, value };
}

/** A failed row's reason begins with its code; without one it is a defect, or the store's own message. */
function codeOf({ why }: ReportRow): string {
  return /^([a-z_]{1,40}): /.exec(why)?.[1] ?? "error";
}

function storeMetrics(registry: Registry, monitor: PublisherMonitor): void {
  const { puts, reads } = monitor;
  collectedCounter(
    registry,
    { name: "noonmark_scrubbed_total", help: "Stored objects that were checked for damage.", labels: [] },
    () => single(monitor.publisher?.scrubbed ?? 0),
  );
  collectedCounter(
    registry,
    { name: "noonmark_rewritten_total", help: "Missing or damaged objects that were rewritten.", labels: [] },
    () => single(monitor.rewritten),
  );
  collectedCounter(
    registry,
    {
      name: "noonmark_puts_total",
      help: "Objects put into the store, by resource and outcome: done, conflict (another object was stored there), failed.",
      labels: ["resource", "outcome"],
    },
    () => [...puts.values()].map(({ resource, outcome, count }) => ({ labels: { resource, outcome }, value: count })),
  );
  collectedCounter(
    registry,
    {
      name: "noonmark_store_reads_total",
      help: "Objects read from the store, by outcome: found, absent, damaged, failed.",
      labels: ["outcome"],
    },
    function* () {
      for (const [outcome, value] of reads) {
        yield { labels: { outcome: outcome === "done" ? "found" : outcome }, value };
      }
    },
  );
}

function leaseMetrics(registry: Registry, monitor: PublisherMonitor): void {
  collectedGauge(
    registry,
    {
      name: "noonmark_lease_state",
      help: "1 for the state of this process: starting, standby (another holds the lease), publishing (it holds it).",
      labels: ["state"],
    },
    () => oneOf("state", PHASES, monitor.state().phase),
  );
  collectedGauge(
    registry,
    { name: "noonmark_lease_epoch", help: "Epoch of the lease that this process holds; absent while it holds none." },
    () => single(monitor.lease?.epoch),
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_lease_age_seconds",
      help: "Time since this process renewed its lease; absent while it holds none.",
    },
    () => single(monitor.lease === undefined ? undefined : monitor.lease.age / 1_000),
  );
}

function clockMetrics(registry: Registry, monitor: PublisherMonitor): void {
  collectedGauge(
    registry,
    {
      name: "noonmark_clock_moved_seconds",
      help: "How far this machine's clock has moved and is not trusted (negative: back); 0 while it is trusted.",
    },
    () => single(monitor.clockMovedMs / 1_000),
  );
  collectedCounter(
    registry,
    {
      name: "noonmark_clock_moves_total",
      help: "How often this machine's clock has moved by more than a second.",
      labels: [],
    },
    () => single(monitor.clockMoves),
  );
}
