/** Follows a publisher's ticks, cycles and renewals, for `/healthz` and the metrics (docs/spec/people.md#metrics). */
import { errorMessage } from "../../src/values/unknown.ts";
import type { Clock } from "../clock/clock.ts";
import type { CycleReport } from "../report.ts";
import { isOutage, type Scheduled } from "./schedule.ts";

/** `partial`: something could not be published. `outage` passes by itself; `failed` ends the publisher. */
export type CycleOutcome = "done" | "partial" | "outage" | "failed";
export const CYCLE_OUTCOMES: readonly CycleOutcome[] = ["done", "partial", "outage", "failed"];

export interface CycleWatcher {
  /** `error` if the lease could not be renewed. */
  renewed(error?: unknown): void;
  /** `error` if the cycle failed. */
  cycled(outcome: CycleOutcome, seconds: number, error?: unknown): void;
}

export function watchedPublisher(publisher: Scheduled, clock: Clock, watcher: CycleWatcher): Scheduled {
  return {
    instant: (now) => publisher.instant(now),
    nextDue: () => publisher.nextDue(),
    scrubIfDue: (at) => publisher.scrubIfDue(at),
    async renewIfDue() {
      try {
        await publisher.renewIfDue();
        watcher.renewed();
      } catch (error) {
        watcher.renewed(error);
        throw error;
      }
    },
    isIdle: (at) => publisher.isIdle(at),
    async cycle(at) {
      const started = clock.monotonic();
      const seconds = () => (clock.monotonic() - started) / 1_000;
      try {
        const report = await publisher.cycle(at);
        watcher.cycled(outcomeOf(report), seconds());
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

export type Phase = "starting" | "standby" | "publishing";

export interface TickHealthState {
  readonly isWell: boolean;
  readonly phase: Phase;
  /** Since the last tick finished, or a standby read the lease; at first since the start. */
  readonly quietSeconds: number;
  /** Why it is unhealthy; absent if it is healthy. */
  readonly reason?: string;
}

/** Tolerance (ms) for a tick's own duration and for a late tick. */
const SLACK_MS = 60_000;

export class TickHealth {
  readonly #monotonic: () => number;
  #phase: Phase = "starting";
  #quietSince: number;
  /** The next tick must have finished by then. */
  #dueBy: number;
  #trouble: string | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#quietSince = monotonic();
    this.#dueBy = this.#quietSince + SLACK_MS;
  }

  /** A tick has finished, or a standby has read the lease; the next one comes in `nextInMs`. */
  reached(phase: Phase, nextInMs: number): void {
    this.#phase = phase;
    this.#quietSince = this.#monotonic();
    this.#dueBy = this.#quietSince + nextInMs + SLACK_MS;
    this.#trouble = undefined;
  }

  /** Records a failed tick. It counts until another tick finishes. */
  failed(error: unknown): void {
    this.#trouble = errorMessage(error);
  }

  state(): TickHealthState {
    const now = this.#monotonic();
    const quietSeconds = Math.round((now - this.#quietSince) / 100) / 10;
    const about = { phase: this.#phase, quietSeconds };
    const silence = `no tick has finished for ${quietSeconds} s, although one was due`;
    const reason = this.#trouble ?? (now > this.#dueBy ? silence : undefined);
    return reason === undefined ? { isWell: true, ...about } : { isWell: false, ...about, reason };
  }
}
