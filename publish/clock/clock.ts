/**
 * The clocks and timers of a publisher. Code gets them as arguments, so that tests can set the time.
 *
 * `SteadyClock` is the clock for what is published (docs/spec/publishing.md#moved-clock): the host's wall clock, unless that
 * moves against the monotonic clock. Then it runs on its own count until the host's clock can be trusted again.
 */
import { type Logger, schedule } from "node-cron";

export interface Clock {
  /** Epoch ms; the time of what is published. */
  wall(): number;
  /** Milliseconds that never jump; for time limits. */
  monotonic(): number;
  /** The host's own wall clock (epoch ms); absent if that is `wall`. */
  hostWall?(): number;
}

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** On a running machine, the wall clock and the monotonic clock drift apart by less than this (ms). */
export const MOVE_ALLOWANCE_MS = 1_000;

export function hostWall(clock: Clock): number {
  return clock.hostWall?.() ?? clock.wall();
}

/** How far the host's clock is ahead of the publishing clock (ms; negative: behind); 0 while it is trusted. */
export function movedBy(clock: Clock): number {
  const ms = hostWall(clock) - clock.wall();
  return Math.abs(ms) > MOVE_ALLOWANCE_MS ? Math.round(ms) : 0;
}

/** A moved clock is trusted again after it has been steady for this long (ms). */
export const STEADY_MS = 60_000;
/** Clocks agree if they differ by at most this (ms). */
const AGREED_MS = 2_000;

/** `byMs`: how far the host's clock is ahead of this one (negative: behind). */
export type ClockMove =
  | { readonly kind: "moved"; readonly byMs: number }
  /** The host's clock is back. */
  | { readonly kind: "returned" }
  /** The host's clock is trusted again. */
  | { readonly kind: "accepted"; readonly byMs: number; readonly because: "steady" | "store" };

export class SteadyClock implements Clock {
  readonly #host: Clock;
  /** The host's wall clock minus the monotonic clock when it was last trusted (ms). */
  #trustedOffset: number;
  /** While the host's clock is not trusted: its offset at the last check, and since when it has had that offset. */
  #moved: { readonly offset: number; readonly since: number } | undefined;
  #moves = 0;
  #aheadOfStore: () => number | undefined = () => undefined;

  constructor(host: Clock) {
    this.#host = host;
    this.#trustedOffset = this.#offset;
  }

  /** Epoch ms. */
  wall(): number {
    return this.#isTrusted ? this.#host.wall() : Math.round(this.#host.monotonic() + this.#trustedOffset);
  }

  monotonic(): number {
    return this.#host.monotonic();
  }

  hostWall(): number {
    return this.#host.wall();
  }

  /** How often the host's clock moved since the start. */
  get moves(): number {
    return this.#moves;
  }

  /** `aheadOfStore`: how far the host's own clock is ahead of the store's (ms); undefined if that is not known. */
  compareWith(aheadOfStore: () => number | undefined): void {
    this.#aheadOfStore = aheadOfStore;
  }

  /** Must be called once a second. Returns a change since the last call. */
  check(): ClockMove | undefined {
    const offset = this.#offset;
    const now = this.monotonic();
    const byMs = Math.round(offset - this.#trustedOffset);
    if (Math.abs(byMs) <= MOVE_ALLOWANCE_MS) {
      const hasReturned = this.#moved !== undefined;
      this.#moved = undefined;
      this.#trustedOffset = offset;
      return hasReturned ? { kind: "returned" } : undefined;
    }
    const isNew = this.#moved === undefined || Math.abs(offset - this.#moved.offset) > MOVE_ALLOWANCE_MS;
    this.#moved = { offset, since: isNew ? now : (this.#moved?.since ?? now) };
    if (isNew) this.#moves++;
    const ahead = this.#aheadOfStore();
    const agrees = ahead !== undefined && Math.abs(ahead) <= AGREED_MS;
    if (!agrees && now - this.#moved.since < STEADY_MS) return isNew ? { kind: "moved", byMs } : undefined;
    this.#moved = undefined;
    this.#trustedOffset = offset;
    return { kind: "accepted", byMs, because: agrees ? "store" : "steady" };
  }

  get #isTrusted(): boolean {
    return this.#moved === undefined && Math.abs(this.#offset - this.#trustedOffset) <= MOVE_ALLOWANCE_MS;
  }

  get #offset(): number {
    return this.#host.wall() - this.#host.monotonic();
  }
}

export interface CronTimer {
  /** The pattern's next instant by the wall clock (epoch ms); undefined if it has none. */
  nextRun(): number | undefined;
  stop(): void;
}

export interface Timers {
  /** Fires by the wall clock, in UTC. If that clock is set back by an hour, it does not fire for an hour. */
  cron(pattern: string, fire: () => void): CronTimer;
  /** Fires by the monotonic clock. Returns a function that stops it. */
  every(ms: number, fire: () => void): () => void;
  after(ms: number, fire: () => void): () => void;
}

/** The longest delay that setTimeout takes. */
const TIMEOUT_LIMIT_MS = 2 ** 31 - 1;

const nothing = () => {};
/** Keeps node-cron from printing missed runs, which `Cadence` reports. */
const SILENT: Logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };

export const systemTimers: Timers = {
  cron(pattern, fire) {
    const task = schedule(pattern, fire, { timezone: "UTC", logger: SILENT });
    return { nextRun: () => task.getNextRun()?.getTime(), stop: () => void task.destroy() };
  },
  every(ms, fire) {
    const timer = setInterval(fire, ms);
    return () => clearInterval(timer);
  },
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), TIMEOUT_LIMIT_MS));
    return () => clearTimeout(timer);
  },
};
