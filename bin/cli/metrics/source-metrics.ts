/** Metrics of the publisher's two sources in its last cycle. */
import type { Registry } from "@prometheus-io/client";
import { collectedCounter, collectedGauge, oneOf, single } from "./collected.ts";
import type { WatchedPublisher } from "./watched-publisher.ts";

const LEDGER = ["followed", "none", "unreadable", "behind"] as const;
const CHAIN = ["followed", "disabled", "silent", "mismatch", "behind"] as const;

export function sourceMetrics(registry: Registry, watched: WatchedPublisher): void {
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
