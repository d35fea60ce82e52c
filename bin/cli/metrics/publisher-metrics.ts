/** The metrics of a publisher and of its sources in the last cycle. */
import { Histogram, type Registry } from "@prometheus-io/client";
import type { Known } from "../../../publish/known.ts";
import type { ReportRow } from "../../../publish/report.ts";
import { CYCLE_OUTCOMES, type CycleOutcome } from "../../../publish/schedule/health.ts";
import { ANSWERS } from "../../../publish/status/public-status.ts";
import type { PublisherMonitor } from "../publish/publisher-monitor.ts";
import { collectedCounter, collectedGauge, oneOf, processRegistry, type Sample, single } from "./registries.ts";

/** Seconds. A cycle without a put takes some milliseconds, one over S3 with a takeover some minutes. */
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
    ofEach(({ sourceVersion }) => (now() - sourceVersion.at) / 1_000),
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
  // An alert needs a zero before the first case of an outcome.
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

/** The sources of a publisher's metrics. */
export interface WatchedPublisher {
  readonly monitor: PublisherMonitor;
  readonly known: Known;
  /** Epoch ms, by the publishers' common clock. */
  now(): number;
  monotonic(): number;
}

const LEDGER = ["followed", "none", "unreadable", "behind"] as const;
const CHAIN = ["followed", "disabled", "silent", "mismatch", "behind"] as const;

function sourceMetrics(registry: Registry, watched: WatchedPublisher): void {
  ledgerMetrics(registry, watched);
  chainMetrics(registry, watched);
  const { rpc } = watched.monitor;
  collectedCounter(
    registry,
    {
      name: "noonmark_rpc_requests_total",
      help: "HTTP requests to nodes of the chain, by outcome: answered, silent (no response in time), range, rate, transient, refused.",
      labels: ["outcome"],
    },
    () => [...rpc].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_rpc_node_disagrees",
      help: "1 for each node of the chain that disagrees with another (rpcQuorum), by its address without keys.",
      labels: ["node"],
    },
    () => [...watched.monitor.disagreeingNodes].map((node) => ({ labels: { node }, value: 1 })),
  );
}

function ledgerMetrics(registry: Registry, { monitor, now }: WatchedPublisher): void {
  const ledger = () => (monitor.publisher?.last === undefined ? undefined : monitor.publisher.sources.ledger);
  collectedGauge(
    registry,
    {
      name: "noonmark_ledger_state",
      help: "1 for the ledger's state in the last cycle: followed, none, unreadable, behind what was published.",
      labels: ["state"],
    },
    () => stateOf(LEDGER, ledger()?.status),
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_ledger_lag_seconds",
      help: "Time since the newest published receipt of the configured installation was received; absent without any.",
    },
    () => {
      const newest = ledger()?.newestReceiptAt ?? undefined;
      return single(newest === undefined ? undefined : (now() - Date.parse(newest)) / 1_000);
    },
  );
}

function chainMetrics(registry: Registry, { monitor, monotonic }: WatchedPublisher): void {
  const chain = () => (monitor.publisher?.last === undefined ? undefined : monitor.publisher.sources.chain);
  collectedGauge(
    registry,
    {
      name: "noonmark_chain_state",
      help: "1 for the chain's state in the last cycle: followed, disabled, silent, mismatch, behind (no safe block yet).",
      labels: ["state"],
    },
    () => stateOf(CHAIN, chain()?.status),
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_chain_lag_blocks",
      help: "Blocks between the last safe block that was read and the node's head, 12 confirmations included; absent while the chain is not followed.",
    },
    () => {
      const through = chain()?.indexedThroughBlock ?? undefined;
      const head = monitor.chainHead;
      return single(through === undefined || head === undefined ? undefined : Number(head - BigInt(through)));
    },
  );
  collectedGauge(
    registry,
    {
      name: "noonmark_chain_lag_seconds",
      help: "Time since the last good pass over the chain; absent before the first.",
    },
    () => single(monitor.lastGoodPassAt === undefined ? undefined : (monotonic() - monitor.lastGoodPassAt) / 1_000),
  );
}

function stateOf(states: readonly string[], current: string | undefined) {
  return current === undefined ? [] : oneOf("state", states, current);
}
