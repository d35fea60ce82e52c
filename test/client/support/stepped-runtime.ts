/** A client's surroundings with a clock that the test moves: waits end at once and are written down, timeouts never end by themselves. */
import type { Fetch, Runtime } from "../../../src/client/exchange/runtime.ts";

/** Of the clients under test; tells a timeout from a wait. */
export const TIMEOUT = 12_345;
export const NOW = Date.parse("2026-11-20T10:00:00.000Z");

export interface SteppedRuntime extends Runtime {
  /** Milliseconds of every wait there was. */
  readonly waits: number[];
  /** Timers that have neither fired nor been called off. */
  readonly pending: Set<() => void>;
  /** What a wait does instead of ending at once. */
  onWait?: ((end: () => void) => void) | undefined;
}

export function steppedRuntime(fetch: Fetch, { ownCache = false, random = 0.5 } = {}): SteppedRuntime {
  const pending = new Set<() => void>();
  const waits: number[] = [];
  const runtime: SteppedRuntime = {
    waits,
    pending,
    ownCache,
    now: () => NOW,
    random: () => random,
    fetch,
    after(ms, act) {
      const fire = () => {
        if (pending.delete(fire)) act();
      };
      pending.add(fire);
      if (ms !== TIMEOUT) {
        waits.push(ms);
        queueMicrotask(() => (runtime.onWait === undefined ? fire() : runtime.onWait(fire)));
      }
      return () => {
        pending.delete(fire);
      };
    },
  };
  return runtime;
}
