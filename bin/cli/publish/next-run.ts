import { createTask } from "node-cron";

/** How long it is until a cadence's next run (ms), by the wall clock (epoch ms). The pattern has been judged. */
export function untilNextRun(cadence: string, wall: () => number): () => number {
  const task = createTask(cadence, () => {}, { timezone: "UTC" });
  return () => {
    const [next] = task.getNextRuns(1);
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, next.getTime() - wall());
  };
}
