/** The time of what is published (docs/spec/publishing.md#clocks). It never goes back. */
import { Failure } from "../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";

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
  return new Failure("clock_behind", message);
}

export interface ExplicitInstant {
  readonly at: number;
  readonly now: number;
  /** The last instant published; 0: none. */
  readonly last: number;
  readonly force: boolean;
}

/**
 * Checks an instant that the operator gave. An instant before the published one would make responses go back. One ahead
 * of the clock would delay every later publish. Throws `Failure` at_before_published or at_in_future.
 */
export function explicitInstant({ at, now, last, force }: ExplicitInstant): number {
  if (at - now > FUTURE_ALLOWANCE_MS && !(force && last === 0)) {
    throw new Failure("at_in_future", `${formatTimestamp(at)} is more than a minute ahead of ${formatTimestamp(now)}`);
  }
  if (at < last) {
    throw new Failure(
      "at_before_published",
      `${formatTimestamp(at)} is before ${formatTimestamp(last)}, the last instant published`,
    );
  }
  return at;
}
