/** The metrics of a publisher and of its sources in the last cycle. */
import { Histogram, type Registry } from "@prometheus-io/client";
import type { PublishedResponse } from "../../../publish/head/head.ts";
import { CYCLE_OUTCOMES } from "../../../publish/schedule/health.ts";
import { RESPONSE_KEYS } from "../../../src/resources/find.ts";
import { CHAIN_STATES, LEDGER_STATES } from "../../../src/resources/publication-status/public-record.ts";
import { CONFIRMATIONS } from "../../../src/values/settlement-limits.ts";
import type { PublisherMonitor } from "../publish/publisher-monitor.ts";
import { type Metric, processRegistry, register, type Sample, storeReads } from "./registries.ts";

export function publisherRegistry(monitor: PublisherMonitor): Registry {
  const registry = processRegistry(responseMetrics(monitor));
  cycleDurations(registry, monitor);
  register(registry, [
    ...logMetrics(monitor),
    ...cycleMetrics(monitor),
    ...leaseMetrics(monitor),
    ...sourceMetrics(monitor),
  ]);
  return registry;
}

function responseMetrics(monitor: PublisherMonitor): Metric[] {
  const ofEach = (value: (response: PublishedResponse) => number) =>
    RESPONSE_KEYS.flatMap(([route, key]): Sample[] => {
      const response = monitor.publisher?.head.responses[key];
      return response === undefined ? [] : [[route, value(response)]];
    });
  return [
    {
      name: "noonmark_response_age_seconds",
      help: "Age of the published response: time since the instant that it was computed for.",
      labels: ["route"],
      samples: () => ofEach(({ asOf }) => (monitor.now() - asOf) / 1_000),
    },
    {
      name: "noonmark_response_status_code",
      help: "HTTP status of the published response.",
      labels: ["route"],
      samples: () => ofEach(({ status }) => status),
    },
  ];
}

function logMetrics(monitor: PublisherMonitor): Metric[] {
  return [
    {
      name: "noonmark_log_size",
      help: "Entries of the published log; absent before the first publish.",
      read: () => monitor.publisher?.head.log.size,
    },
  ];
}

/** Seconds. A cycle without puts takes milliseconds; one over S3 with a takeover takes minutes. */
const CYCLE_BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

function cycleDurations(registry: Registry, monitor: PublisherMonitor): void {
  const cycles = new Histogram({
    name: "noonmark_cycle_duration_seconds",
    help: "Cycles by outcome: done, partial (something could not be published), outage (passes by itself), failed.",
    labelNames: ["outcome"],
    buckets: CYCLE_BUCKETS,
    registers: [registry],
  });
  // Alerts need a zero before the first case of each outcome.
  for (const outcome of CYCLE_OUTCOMES) cycles.zero({ outcome });
  monitor.onCycle = (outcome, seconds) => cycles.observe({ outcome }, seconds);
}

function cycleMetrics(monitor: PublisherMonitor): Metric[] {
  return [
    {
      name: "noonmark_unpublished",
      help: "Resources that the last cycle could not publish, by the code of their failure; absent without any.",
      labels: ["code"],
      samples: () => failuresOf(monitor),
    },
    {
      name: "noonmark_turn_age_seconds",
      help: "Time since a tick of the schedule finished, or a standby asked for the lease.",
      read: () => monitor.state().quietSeconds,
    },
    {
      name: "noonmark_healthy",
      help: "1 while /healthz is 200; its body has the reason if it is not.",
      read: () => (monitor.state().isWell ? 1 : 0),
    },
    {
      name: "noonmark_scrubbed_total",
      help: "How often some stored objects were checked for damage.",
      read: () => monitor.publisher?.scrubbed ?? 0,
    },
    {
      name: "noonmark_rewritten_total",
      help: "Missing or damaged objects that were rewritten.",
      read: () => monitor.rewritten,
    },
    {
      name: "noonmark_puts_total",
      help: "Objects put into the store, by resource and outcome: done, conflict (another object was stored there), failed.",
      labels: ["resource", "outcome"],
      samples: () =>
        [...monitor.puts.values()].map(({ resource, outcome, count }) => [resource, outcome, count] as const),
    },
    storeReads(() =>
      [...monitor.reads].map(([outcome, count]) => [outcome === "done" ? "found" : outcome, count] as const),
    ),
  ];
}

/** Returns the number of failures by code. */
function failuresOf({ publisher }: PublisherMonitor): Iterable<Sample> {
  const { failures = [], rows = [] } = publisher?.last ?? {};
  const failed = rows.filter(({ action }) => action === "failed");
  const counts = new Map<string, number>();
  // A defect has no code.
  for (const { code = "error" } of [...failures, ...failed]) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

const PHASES = ["starting", "standby", "publishing"] as const;

function leaseMetrics(monitor: PublisherMonitor): Metric[] {
  return [
    {
      name: "noonmark_lease_state",
      help: "1 for the state of this process: starting, standby (another holds the lease), publishing (it holds it).",
      labels: ["state"],
      samples: () => oneOf(PHASES, monitor.state().phase),
    },
    {
      name: "noonmark_lease_epoch",
      help: "Epoch of the lease that this process holds; absent while it holds none.",
      read: () => monitor.held?.epoch,
    },
    {
      name: "noonmark_lease_age_seconds",
      help: "Time since this process renewed its lease; absent while it holds none.",
      read: () => secondsOf(monitor.held?.age),
    },
    {
      name: "noonmark_clock_moves_total",
      help: "How often this machine's clock has moved by more than 2 s. Each move ends the session, and a new one begins.",
      read: () => monitor.clockMoves,
    },
  ];
}

/** Until the first cycle, only the requests to nodes are present. */
function sourceMetrics(monitor: PublisherMonitor): Metric[] {
  const sources = () => (monitor.publisher?.last === undefined ? undefined : monitor.publisher.sources);
  return [
    {
      name: "noonmark_ledger_state",
      help: "1 for the ledger's state in the last cycle or a standby's last check: followed, none, unreadable, behind (it does not contain the published log).",
      labels: ["state"],
      samples: () => oneOf(LEDGER_STATES, monitor.ledgerStatus),
    },
    {
      name: "noonmark_ledger_lag_seconds",
      help: "Time since the newest published receipt of the configured installation was received; absent without any.",
      read() {
        const newest = sources()?.ledger.newestReceiptAt ?? undefined;
        return newest === undefined ? undefined : secondsOf(monitor.now() - Date.parse(newest));
      },
    },
    {
      name: "noonmark_chain_state",
      help: "1 for the chain's state in the last cycle: followed, disabled, silent, mismatch, behind (no safe block yet).",
      labels: ["state"],
      samples: () => oneOf(CHAIN_STATES, sources()?.chain.status),
    },
    {
      name: "noonmark_chain_lag_blocks",
      help: `Blocks between the last safe block that was read and the node's head, ${CONFIRMATIONS} confirmations included; absent while the chain is not followed.`,
      read() {
        const through = sources()?.chain.indexedThroughBlock ?? undefined;
        const head = monitor.chainTip;
        return through === undefined || head === undefined ? undefined : Number(head - BigInt(through));
      },
    },
    {
      name: "noonmark_chain_lag_seconds",
      help: "Time since the last good pass over the chain; absent before the first.",
      read: () => secondsOf(monitor.goodPassAge),
    },
    {
      name: "noonmark_rpc_requests_total",
      help: "HTTP requests to nodes of the chain, by outcome: responded, silent (no response in time), range, rate, transient, refused.",
      labels: ["outcome"],
      samples: () => monitor.rpc,
    },
    {
      name: "noonmark_rpc_node_disagrees",
      help: "1 for each node of the chain that disagrees with another (rpcQuorum), by its address without keys.",
      labels: ["node"],
      samples: () => [...monitor.disagreeingNodes].map((node) => [node, 1] as const),
    },
    {
      name: "noonmark_rpc_node_stalled",
      help: "1 for each node of the chain whose head has not moved though it should have, by its address without keys.",
      labels: ["node"],
      samples: () => [...monitor.stalledNodes].map((node) => [node, 1] as const),
    },
  ];
}

/** Returns 1 for the current state and 0 for the others; nothing if it is unknown. */
function oneOf(states: readonly string[], current: string | undefined): Sample[] {
  return current === undefined ? [] : states.map((state) => [state, state === current ? 1 : 0]);
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
