/**
 * Compares the host's clock with the store's, and with what is stored (docs/spec/publishing.md#clocks). A publisher that
 * begins does both, and a holder compares with the store at each renewal.
 */
import { ClockOffset, provenSkew, shifted } from "../../src/object-store/clock-offset.ts";
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";
import { CLOCK_TOLERANCE_MS, type Clock, STEADY_MS, type WatchedClock } from "./clock.ts";
import { clockBehind, isAhead } from "./instant.ts";

const CODES: ReadonlySet<string> = new Set(["clock_moved", "clock_skew", "clock_behind"]);

/** True for a failure that passes once the clock is right. */
export function isClockFailure(error: unknown): error is Failure {
  return error instanceof Failure && CODES.has(error.code);
}

export function clockMoved(movedMs: number): Failure {
  const by = `${Math.round(Math.abs(movedMs) / 1000)} s ${movedMs > 0 ? "ahead" : "back"}`;
  const what =
    movedMs === 0 ? "the clock of this machine moved a short time ago" : `the clock of this machine moved ${by}`;
  return new Failure("clock_moved", what);
}

/** The state that a publisher finds when it begins. */
interface Beginning {
  readonly store: ObjectStore;
  readonly clock: WatchedClock;
  /** The newest published instant (epoch ms); 0: none. */
  readonly newestAt: number;
  /** True if the last holder released the lease because its clock had moved. */
  readonly holderMoved: boolean;
}

/** Throws `Failure` clock_skew, clock_behind or clock_moved if nothing may be published now. */
export async function refuseWrongClock({ store, clock, newestAt, holderMoved }: Beginning): Promise<void> {
  const ahead = hasClock(store) ? provenSkew(await store.measureClock(() => clock.wall())) : undefined;
  if (ahead !== undefined && Math.abs(ahead) > FUTURE_ALLOWANCE_MS) throw clockSkew(ahead, store);
  clock.check();
  const now = clock.wall();
  if (isAhead(newestAt, now)) throw clockBehind("the last cycle", newestAt, now);
  if (ahead !== undefined && Math.abs(ahead) <= CLOCK_TOLERANCE_MS) return;
  // A store's record says nothing of this host's clock. A directory's last holder had the same clock.
  const hasMoved = clock.moves > 0 || (holderMoved && ahead === undefined);
  if (hasMoved && clock.steadyMs < STEADY_MS) throw clockMoved(clock.movedMs);
}

export class StoreSkew {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #offset = new ClockOffset();

  /** Every response of the store is a measurement; no extra request is needed. */
  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const monotonic = () => clock.monotonic();
    if (hasClock(store)) store.watchClock(monotonic, (bounds) => this.#offset.add(bounds, monotonic()));
  }

  /** Throws `Failure` clock_skew. Asks the store once more, because one wrong response must not stop a publisher. */
  async check(): Promise<void> {
    const known = this.#ms;
    if (!hasClock(this.#store) || (known !== undefined && Math.abs(known) <= FUTURE_ALLOWANCE_MS)) return;
    const skew = provenSkew(await this.#store.measureClock(() => this.#clock.wall()));
    if (Math.abs(skew) > FUTURE_ALLOWANCE_MS) throw clockSkew(skew, this.#store);
  }

  get #ms(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && provenSkew(shifted(bounds, this.#clock.wall() - this.#clock.monotonic()));
  }
}

function clockSkew(skewMs: number, { name }: ObjectStore): Failure {
  const difference = `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"}`;
  return new Failure("clock_skew", `this host's clock is ${difference} that of ${name}`);
}
