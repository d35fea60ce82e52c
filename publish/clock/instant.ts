/**
 * The time of what is published (docs/spec/publishing.md#clocks): the publisher's steady clock, corrected by the store's. It
 * never goes back. If it was more than a minute ahead, the publisher stops.
 */
import { EXIT, Failure } from "../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";

/** A correction slows or speeds up the clock by at most this share, so that time never jumps. */
const SLEW = 0.1;
/** Two clocks agree if they differ by at most this (ms). */
const IN_STEP_MS = 2_000;

export class PublishedTime {
  readonly #monotonic: () => number;
  readonly #measured: () => number | undefined;
  /** The last instant, with fractions, and its time on the monotonic clock. */
  #last: { readonly now: number; readonly at: number; readonly isMeasured: boolean } | undefined;

  /** `measured`: how far the host is ahead of the store (ms); undefined if unknown. */
  constructor(monotonic: () => number, measured: () => number | undefined) {
    this.#monotonic = monotonic;
    this.#measured = measured;
  }

  /** Epoch ms, corrected by the store's clock; `wall` is the steady clock's. */
  now(wall: number): number {
    const [offset, at, last] = [this.#measured(), this.#monotonic(), this.#last];
    const target = wall - (offset ?? 0);
    // If the clock was far ahead, time would stop. `notBefore` reports that case instead.
    let now = last === undefined || isAhead(last.now, target) ? target : Math.max(target, last.now);
    // Without a store's clock, and at the first measurement, the correction applies at once.
    if (offset !== undefined && last?.isMeasured === true) {
      const passed = at - last.at;
      const wrong = target - last.now - passed;
      const limit = passed * SLEW;
      // Host and store agree that this process was suspended.
      const wasSuspended = wrong > IN_STEP_MS && Math.abs(offset) <= IN_STEP_MS;
      now = wasSuspended ? target : last.now + passed + Math.max(-limit, Math.min(limit, wrong));
    }
    this.#last = { now, at, isMeasured: offset !== undefined };
    return Math.round(now);
  }
}

/**
 * The instant of a cycle: not before the last one published (epoch ms; 0: none). Throws `Failure` clock_behind if that
 * one is more than a minute ahead of `now`.
 */
export function notBefore(last: number, now: number): number {
  if (isAhead(last, now)) throw clockBehind("the last cycle", last, now);
  return Math.max(last, now);
}

/** True if an instant is too far ahead of `now` to have been published by a right clock. Both in epoch ms. */
export function isAhead(instant: number, now: number): boolean {
  return instant - now > FUTURE_ALLOWANCE_MS;
}

/** Returns the `Failure` for an object `what` that was published as of `at`, ahead of `now` (both in epoch ms). */
export function clockBehind(what: string, at: number, now: number): Failure {
  const message = `${what} was published as of ${formatTimestamp(at)}, but this clock says ${formatTimestamp(now)}`;
  return new Failure("clock_behind", message, { exit: EXIT.failed, hint: CLOCK_BEHIND_HINT });
}

/** The hint of every clock_behind message (docs/fsck.md#repair). */
const CLOCK_BEHIND_HINT =
  "If this clock is wrong, correct it (NTP): publishing then continues. " +
  "If it is right, rewrite the objects that are ahead of it: noonmark fsck --repair";

export interface ExplicitInstant {
  readonly at: number;
  readonly now: number;
  /** The last instant published; 0: none. */
  readonly last: number;
  readonly force: boolean;
}

/**
 * Checks `--at`. An instant before the published one would make responses go back. One ahead of the clock would delay
 * every later publish. Throws `Failure` at_before_published or at_in_future.
 */
export function explicitInstant({ at, now, last, force }: ExplicitInstant): number {
  if (at - now > FUTURE_ALLOWANCE_MS && !(force && last === 0)) {
    throw new Failure("at_in_future", `--at is more than a minute ahead of ${formatTimestamp(now)}`, {
      exit: EXIT.usage,
      hint: "Use an instant that is not ahead. For a trial on an empty store, add --force.",
    });
  }
  if (at < last) {
    throw new Failure("at_before_published", `--at is before ${formatTimestamp(last)}, the last instant published`, {
      exit: EXIT.failed,
      hint: "Use a later instant. If that one is ahead of the time: noonmark fsck --repair",
    });
  }
  return at;
}
