/**
 * Turns at the instants of a cron pattern, whatever becomes of the wall clock (docs/spec/publishing.md#clock-steps). The
 * pattern's timer waits for an instant of that clock, and for too long where it is set back; a steady timer notices
 * that, and a turn that is overdue.
 */
import { type Clock, hostWall, MOVE_ALLOWANCE_MS } from "../clock/clock.ts";
import type { CronTimer, Timers } from "../clock/timers.ts";

/** A turn that is late by more (ms) did not come by itself. */
const OVERDUE_MS = 1_500;

/** Why a turn did not come from the pattern's timer; ms. */
export type LateTurn = { readonly clockSetBy: number } | { readonly overdueBy: number };

export interface CadenceOptions {
  /** A cron pattern, seconds first. */
  readonly pattern: string;
  readonly clock: Clock;
  readonly timers: Timers;
  onTurn(): void;
  onLate(late: LateTurn): void;
}

export class Cadence {
  readonly #options: CadenceOptions;
  #cron: CronTimer;
  /** Monotonic: when the next turn is to come. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** How far the host's wall clock, by which the pattern's timer waits, is ahead of the monotonic one (ms). */
  #apart: number;

  constructor(options: CadenceOptions) {
    this.#options = options;
    this.#apart = this.#clocksApart();
    this.#cron = this.#arm();
  }

  /** To be called every second or so. */
  check(): void {
    const { clock, onLate } = this.#options;
    const clockSetBy = Math.round(this.#clocksApart() - this.#apart);
    const overdueBy = Math.round(clock.monotonic() - this.#dueAt);
    if (Math.abs(clockSetBy) <= MOVE_ALLOWANCE_MS && overdueBy <= OVERDUE_MS) return;
    onLate(Math.abs(clockSetBy) > MOVE_ALLOWANCE_MS ? { clockSetBy } : { overdueBy });
    this.#apart = this.#clocksApart();
    this.#cron.stop();
    this.#cron = this.#arm();
    this.#options.onTurn();
  }

  stop(): void {
    this.#cron.stop();
  }

  #arm(): CronTimer {
    const { pattern, timers, onTurn } = this.#options;
    const cron = timers.cron(pattern, () => {
      this.#expect(cron);
      onTurn();
    });
    this.#expect(cron);
    return cron;
  }

  #expect(cron: CronTimer): void {
    const { clock } = this.#options;
    const next = cron.nextRun();
    this.#dueAt = next === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + next - hostWall(clock);
  }

  #clocksApart(): number {
    return hostWall(this.#options.clock) - this.#options.clock.monotonic();
  }
}
