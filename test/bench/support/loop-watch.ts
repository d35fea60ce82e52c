/**
 * Measures event-loop delay by wall clock (Node's histogram) and the CPU time of each event-loop iteration on this
 * thread. Delay includes time taken by other processes; CPU time does not.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

export interface LoopTimes {
  readonly milliseconds: number;
  /** CPU time of this thread. */
  readonly cpuMs: number;
  /** Longest event-loop delay. */
  readonly maxDelayMs: number;
  /** Most CPU time between two iterations of the event loop. */
  readonly maxStepCpuMs: number;
}

/** Waits for the loop before and after `use`, so that the first and the last iteration are measured. */
const WAIT_MS = 5;

export async function watchLoop(use: () => Promise<unknown>): Promise<LoopTimes> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(WAIT_MS);
  const before = threadCpuMs();
  let last = before;
  let maxStepCpuMs = 0;
  const step = () => {
    const now = threadCpuMs();
    maxStepCpuMs = Math.max(maxStepCpuMs, now - last);
    last = now;
  };
  const timer = setInterval(step, 1);
  const started = performance.now();
  try {
    await use();
    const milliseconds = performance.now() - started;
    const cpuMs = threadCpuMs() - before;
    await wait(WAIT_MS);
    step();
    return { milliseconds, cpuMs, maxDelayMs: delay.max / 1e6, maxStepCpuMs };
  } finally {
    clearInterval(timer);
    delay.disable();
  }
}

export function blockingText({ maxDelayMs, maxStepCpuMs }: Pick<LoopTimes, "maxDelayMs" | "maxStepCpuMs">): string {
  return `event-loop delay at most ${maxDelayMs.toFixed(0)} ms (CPU at most ${maxStepCpuMs.toFixed(0)} ms)`;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
