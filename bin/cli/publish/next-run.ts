import { createTask } from "node-cron";

/** The time until a cadence's next run (ms), by the wall clock (epoch ms). The pattern is valid. */
export function untilNextRun(cadence: string, wall: () => number): () => number {
  const task = createTask(cadence, () => {}, { timezone: "UTC" });
  return () => {
    const [next] = task.getNextRuns(1);
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, next.getTime() - wall());
  };
}
