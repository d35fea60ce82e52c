/** Collects the work and health of a publisher on a cadence, as plain values. */
import type { WatchedClock } from "../../../publish/clock/clock.ts";
import { type HeldHead, LEASE_MS } from "../../../publish/head/held-head.ts";
import type { Publisher } from "../../../publish/publisher.ts";
import {
  type CycleOutcome,
  type CycleWatcher,
  TickHealth,
  type TickHealthState,
} from "../../../publish/schedule/health.ts";
import type { StandbySources } from "../../../publish/standby-sources.ts";
import type { PollEvent } from "../../../src/chain/poll-event.ts";
import type { RpcOutcome } from "../../../src/chain/rpc/rpc-node.ts";
import { HEAD_KEY, INSTALLATIONS_KEY, isLogKey } from "../../../src/http/keys.ts";
import type { StoreOperation, StoreOutcome } from "../../../src/object-store/counted-store.ts";
import { matchKey } from "../../../src/resources/find.ts";
import type { PublicRecord } from "../../../src/resources/publication-status/public-record.ts";
import { errorMessage } from "../../../src/values/unknown.ts";

export interface PutCount {
  readonly resource: string;
  readonly outcome: StoreOutcome;
  count: number;
}

/** The resources of objects that no row of the table has. */
const OWN_RESOURCES: Readonly<Record<string, string>> = {
  [HEAD_KEY]: "head",
  [INSTALLATIONS_KEY]: "installations",
};

function resourceOf(key: string): string {
  return OWN_RESOURCES[key] ?? (isLogKey(key) ? "log" : (matchKey(key)?.resource ?? "other"));
}

export class PublisherMonitor implements CycleWatcher {
  readonly health: TickHealth;
  readonly puts = new Map<string, PutCount>();
  readonly reads = new Map<StoreOutcome, number>();
  readonly rpc = new Map<RpcOutcome, number>();
  /** Nodes (addresses without keys) that disagree with another node. */
  readonly disagreeingNodes = new Set<string>();
  /** Nodes (addresses without keys) whose head is stalled. */
  readonly stalledNodes = new Set<string>();
  /** The number of damaged objects that were rewritten. */
  rewritten = 0;
  /** Set when the lease is acquired. */
  held: HeldHead | undefined;
  publisher: Publisher | undefined;
  /** Set when the wait for the lease begins. */
  standby: StandbySources | undefined;
  /** The tip of the last good pass over the chain. */
  chainTip: bigint | undefined;
  /** Milliseconds of the monotonic clock. */
  #lastGoodPassAt: number | undefined;
  onCycle: (outcome: CycleOutcome, seconds: number) => void = () => {};
  /** Why the last renewal of the lease failed. */
  #renewalTrouble: string | undefined;
  readonly #clock: WatchedClock;
  readonly #nextRun: () => number;

  /** `nextRun` returns the instant of the cadence's next tick (epoch ms). */
  constructor(clock: WatchedClock, nextRun: () => number) {
    this.#clock = clock;
    this.#nextRun = nextRun;
    this.health = new TickHealth(() => clock.monotonic());
  }

  /** Epoch ms. */
  now(): number {
    return this.#clock.wall();
  }

  /** Milliseconds since the last good pass over the chain; undefined before the first. */
  get goodPassAge(): number | undefined {
    return this.#lastGoodPassAt === undefined ? undefined : this.#clock.monotonic() - this.#lastGoodPassAt;
  }

  /** How often the host's clock has moved. */
  get clockMoves(): number {
    return this.#clock.moves;
  }

  /** Returns the health: healthy if ticks finish and the lease is renewed. */
  state(): TickHealthState {
    const state = this.health.state();
    const { held } = this;
    if (!state.isWell || held === undefined) return state;
    const isOld = held.age > LEASE_MS;
    if (!isOld && this.#renewalTrouble === undefined) return state;
    const age = `the lease was renewed ${Math.round(held.age / 1_000)} s ago`;
    const reason = this.#renewalTrouble === undefined ? age : `${age}: ${this.#renewalTrouble}`;
    return { ...state, isWell: false, reason };
  }

  /** True if this process publishes, or could at once: a standby needs a ledger that contains the published log. */
  get isReady(): boolean {
    const { isWell, phase } = this.state();
    const ledger = this.standby?.ledger;
    const isPassed = ledger !== undefined && ledger.failure === undefined;
    return isWell && (phase === "publishing" || (phase === "standby" && isPassed));
  }

  /** The ledger's state in the last cycle, or in a standby's last check; undefined before. */
  get ledgerStatus(): PublicRecord["sources"]["ledger"]["status"] | undefined {
    return this.publisher?.last === undefined ? this.standby?.ledger?.status : this.publisher.sources.ledger.status;
  }

  requested(operation: StoreOperation, key: string, outcome: StoreOutcome): void {
    if (operation === "get") this.reads.set(outcome, (this.reads.get(outcome) ?? 0) + 1);
    if (operation !== "put") return;
    const resource = resourceOf(key);
    const name = `${resource} ${outcome}`;
    const counted = this.puts.get(name) ?? { resource, outcome, count: 0 };
    counted.count += 1;
    this.puts.set(name, counted);
  }

  rpcRequested(outcome: RpcOutcome): void {
    this.rpc.set(outcome, (this.rpc.get(outcome) ?? 0) + 1);
  }

  chainEvent(event: PollEvent): void {
    if (event.kind === "disagreement") this.disagreeingNodes.add(event.node);
    if (event.kind === "stalled") this.stalledNodes.add(event.node);
    if (event.kind !== "good") return;
    // Nodes that still disagree or are stalled are reported after the good pass.
    this.disagreeingNodes.clear();
    this.stalledNodes.clear();
    this.chainTip = event.tip;
    this.#lastGoodPassAt = this.#clock.monotonic();
  }

  /** A standby is healthy while it can read the head. */
  waits(error?: unknown): void {
    if (error === undefined) this.health.reached("standby", 0);
    else this.health.failed(error);
  }

  ticked(): void {
    this.health.reached("publishing", Math.max(0, this.#nextRun() - this.#clock.wall()));
  }

  renewed(error?: unknown): void {
    if (error === undefined) this.#renewalTrouble = undefined;
    else this.#renewalTrouble = errorMessage(error);
  }

  cycled(outcome: CycleOutcome, seconds: number, error?: unknown): void {
    if (error !== undefined) this.health.failed(error);
    this.onCycle(outcome, seconds);
  }
}
