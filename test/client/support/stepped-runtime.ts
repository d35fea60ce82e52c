/** A client runtime with a manual clock. Waits end at once and are recorded; timeouts never fire by themselves. */
import type { Fetch, Runtime } from "../../../src/client/exchange.ts";

/** The timeout (ms) of the clients under test. It differs from every wait. */
export const TIMEOUT = 12_345;
export const NOW = Date.parse("2026-11-20T10:00:00.000Z");

export interface SteppedRuntime extends Runtime {
  /** Milliseconds of every wait so far. */
  readonly waits: number[];
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: Set<() => void>;
  /** Overrides how a wait ends. By default it ends at once. */
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
