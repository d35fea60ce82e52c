/** A publisher whose turns and cycles somebody follows: how each ended, and how long a cycle took. */

import type { Clock } from "../clock/clock.ts";
import { isOutage } from "../outage.ts";
import type { CycleReport } from "../report.ts";
import type { Scheduled } from "./schedule.ts";

/** `partial`: something could not be published. `outage` passes by itself; `failed` ends the publisher. */
export type CycleOutcome = "done" | "partial" | "outage" | "failed";
export const CYCLE_OUTCOMES: readonly CycleOutcome[] = ["done", "partial", "outage", "failed"];

export interface TurnWatcher {
  /** A turn has finished, whether or not there was anything to do. */
  turned(): void;
  /** The lease was looked after; `error` where it could not be renewed. */
  renewed(error?: unknown): void;
  /** `error` where it was broken off. */
  cycled(outcome: CycleOutcome, seconds: number, error?: unknown): void;
}

export function watchedPublisher(publisher: Scheduled, clock: Clock, watcher: TurnWatcher): Scheduled {
  return {
    instant: (now) => publisher.instant(now),
    now: (wall) => publisher.now(wall),
    nextDue: () => publisher.nextDue(),
    scrubIfDue: (at) => publisher.scrubIfDue(at),
    async renewIfDue(nextCycleAt) {
      try {
        await publisher.renewIfDue(nextCycleAt);
        watcher.renewed();
      } catch (error) {
        watcher.renewed(error);
        throw error;
      }
    },
    isIdle(at) {
      const isIdle = publisher.isIdle(at);
      if (isIdle) watcher.turned();
      return isIdle;
    },
    async cycle(at) {
      const started = clock.monotonic();
      const seconds = () => (clock.monotonic() - started) / 1_000;
      try {
        const report = await publisher.cycle(at);
        watcher.cycled(outcomeOf(report), seconds());
        watcher.turned();
        return report;
      } catch (error) {
        watcher.cycled(isOutage(error) ? "outage" : "failed", seconds(), error);
        throw error;
      }
    },
  };
}

function outcomeOf({ rows, failures }: CycleReport): CycleOutcome {
  return failures.length > 0 || rows.some(({ action }) => action === "failed") ? "partial" : "done";
}
