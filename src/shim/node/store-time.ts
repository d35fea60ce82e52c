/**
 * The shim's clock over a store that has one (design 1, "What is stored", 8): the store's is the common clock, by which
 * the publisher dated the successors. A host whose own clock is right is left alone: the store tells whole seconds.
 */
import type { StoreClock } from "../../object-store/object-store.ts";

/** A difference up to here (ms) is not worth correcting; above it stands in the log and in `/readyz`. */
export const TOLERATED_SKEW_MS = 2000;

export class StoreTime {
  /** How far this host is ahead of the store (ms) by the last measurement; undefined before one has worked. */
  skew: number | undefined;
  readonly #store: Pick<StoreClock, "clockSkew">;
  readonly #wall: () => number;

  /** `wall` is this host's clock (epoch ms). */
  constructor(store: Pick<StoreClock, "clockSkew">, wall: () => number) {
    this.#store = store;
    this.#wall = wall;
  }

  /** Epoch ms by the common clock. */
  now(): number {
    const { skew = 0 } = this;
    return this.#wall() - (Math.abs(skew) > TOLERATED_SKEW_MS ? skew : 0);
  }

  /** Throws `StoreUnavailable`; the last measurement then stands. */
  async measure(): Promise<number> {
    this.skew = await this.#store.clockSkew(this.#wall);
    return this.skew;
  }
}
