/**
 * The one place that knows what time it is for what is published (docs/spec/publishing.md#clocks): the publisher's steady
 * clock, corrected by the store's. It never goes back, unless it was more than a minute ahead: that stops the publisher.
 */
import { EXIT, Failure } from "../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";

/** Of the time that has passed, at most this part goes into a correction: time runs slower or faster, it never jumps. */
const SLEW = 0.1;
/** Clocks that differ by no more are in step (ms). */
const IN_STEP_MS = 2_000;

export class PublishedTime {
  readonly #monotonic: () => number;
  readonly #measured: () => number | undefined;
  /** The instant given last, its fractions kept, and when that was by the monotonic clock. */
  #last: { readonly now: number; readonly at: number; readonly isMeasured: boolean } | undefined;

  /** `measured` tells how far the host is ahead of the store (ms), undefined where that is not known. */
  constructor(monotonic: () => number, measured: () => number | undefined) {
    this.#monotonic = monotonic;
    this.#measured = measured;
  }

  /** Epoch ms by the common clock; `wall` is the steady clock's. */
  now(wall: number): number {
    const [offset, at, last] = [this.#measured(), this.#monotonic(), this.#last];
    const target = wall - (offset ?? 0);
    // A clock that was far ahead and is right now must not stand still until then: `notBefore` says what is wrong.
    let now = last === undefined || isAhead(last.now, target) ? target : Math.max(target, last.now);
    // Without a store's clock, and at the first measurement, the clock counts at once: nothing was dated by another.
    if (offset !== undefined && last?.isMeasured === true) {
      const passed = at - last.at;
      const wrong = target - last.now - passed;
      const most = passed * SLEW;
      // Host and store agree that this process has stood still: there is nothing to be smooth about.
      const hasStoodStill = wrong > IN_STEP_MS && Math.abs(offset) <= IN_STEP_MS;
      now = hasStoodStill ? target : last.now + passed + Math.max(-most, Math.min(most, wrong));
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

/** `what` was published as of `at`, which `isAhead` of `now`; both in epoch ms. */
export function clockBehind(what: string, at: number, now: number): Failure {
  const message = `${what} was published as of ${formatTimestamp(at)}, but this clock says ${formatTimestamp(now)}`;
  return new Failure("clock_behind", message, { exit: EXIT.failed, hint: CLOCK_BEHIND_HINT });
}

/** The one way out, for every message with the code clock_behind (docs/fsck.md#repair). */
const CLOCK_BEHIND_HINT =
  "If this clock is wrong, set it (NTP); publishing then goes on by itself. " +
  "If it is right, rewrite what lies in the future: noonmark fsck --repair";

export interface ExplicitInstant {
  readonly at: number;
  readonly now: number;
  /** The last instant published; 0: none. */
  readonly last: number;
  readonly force: boolean;
}

/**
 * `--at`: an instant before what was published would take answers back, one ahead of the clock would hold up every later
 * publish. Throws `Failure` at_before_published or at_in_future.
 */
export function explicitInstant({ at, now, last, force }: ExplicitInstant): number {
  if (at - now > FUTURE_ALLOWANCE_MS && !(force && last === 0)) {
    throw new Failure("at_in_future", `--at is more than a minute ahead of ${formatTimestamp(now)}`, {
      exit: EXIT.usage,
      hint: "Answers are never dated ahead of time; --force does it where nothing was published before, for a trial.",
    });
  }
  if (at < last && !force) {
    throw new Failure("at_before_published", `--at is before ${formatTimestamp(last)}, the last instant published`, {
      exit: EXIT.failed,
      hint: "Answers never go back in time; --force puts them as of that instant all the same.",
    });
  }
  return at;
}
