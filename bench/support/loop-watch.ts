/**
 * How long the event loop is blocked: by the clock (Node's histogram), and by the processor's time of this thread. On a
 * machine with other things to do the first holds what the others took.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

export interface Watched {
  readonly milliseconds: number;
  /** The part of it that was this thread's processor time. */
  readonly workMs: number;
  /** The longest that no turn came, ms. */
  readonly longestBlockMs: number;
  /** The most of the processor's time between two turns, ms. */
  readonly longestStepMs: number;
}

/** So that the first turn is one that counts, and a step that never let go is seen. */
const TURN_MS = 5;

export async function watched(use: () => Promise<unknown>): Promise<Watched> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(TURN_MS);
  const before = processorMs();
  let last = before;
  let longestStepMs = 0;
  const step = () => {
    const now = processorMs();
    longestStepMs = Math.max(longestStepMs, now - last);
    last = now;
  };
  const timer = setInterval(step, 1);
  const started = performance.now();
  try {
    await use();
    const milliseconds = performance.now() - started;
    const workMs = processorMs() - before;
    await wait(TURN_MS);
    step();
    return { milliseconds, workMs, longestBlockMs: delay.max / 1e6, longestStepMs };
  } finally {
    clearInterval(timer);
    delay.disable();
  }
}

export function blocked({ longestBlockMs, longestStepMs }: Pick<Watched, "longestBlockMs" | "longestStepMs">): string {
  return `event loop blocked for ${longestBlockMs.toFixed(0)} ms at most, of them ${longestStepMs.toFixed(0)} ms at work`;
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
