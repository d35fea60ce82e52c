/**
 * Measures how far a clock is ahead of a store's (docs/spec/publishing.md#clocks). A store reports whole seconds, so
 * one response leaves an uncertainty of a second plus its round trip. Intersecting the bounds of the last minutes
 * leaves little more than the shortest round trip.
 */

/** Bounds of the clock's lead over the store's clock (ms; negative if it is behind). */
export interface ClockBounds {
  readonly least: number;
  readonly most: number;
}

/** The uncertainty of the store's whole seconds (ms). */
const GRAIN_MS = 999;
/** How long a response's bounds are used (ms). The newest ones are always used. */
const TTL_MS = 300_000;
/** Consistent bounds within this time are merged into one entry (ms). */
const MERGE_MS = 10_000;

/**
 * Returns the bounds from one response. `sent` and `received` are the clock's times of the request and the response,
 * `date` is the store's time (all in ms).
 */
export function boundsOf(sent: number, date: number, received: number): ClockBounds {
  return { least: Math.min(sent, received) - (date + GRAIN_MS), most: received - date };
}

/** Returns the proven difference; 0 if there may be none. */
export function provenSkew({ least, most }: ClockBounds): number {
  return least > 0 ? least : Math.min(0, most);
}

interface Kept {
  bounds: ClockBounds;
  /** Arrival of the first response merged into this entry. */
  readonly since: number;
}

/** Collects bounds by a monotonic clock, which is never set. If that clock was paused, the next response shows it. */
export class ClockOffset {
  /** Entries, newest first. */
  #kept: Kept[] = [];

  /** `now` is ms of the monotonic clock. */
  add(bounds: ClockBounds, now: number): void {
    const [newest] = this.#kept;
    const together = newest && now - newest.since < MERGE_MS ? common(newest.bounds, bounds) : undefined;
    if (newest !== undefined && together !== undefined) newest.bounds = together;
    else this.#kept.unshift({ bounds, since: now });
    this.#kept = this.#kept.filter(({ since }, index) => index === 0 || now - since <= TTL_MS);
  }

  /** Returns the intersection of the bounds, from the newest back while they agree; undefined before the first. */
  get bounds(): ClockBounds | undefined {
    const [newest, ...earlier] = this.#kept;
    let found = newest?.bounds;
    for (const { bounds } of earlier) {
      const both = found && common(found, bounds);
      // Earlier bounds are invalid, because one of the clocks was set since.
      if (both === undefined) break;
      found = both;
    }
    return found;
  }
}

/** Returns the bounds for a clock that is ahead of the measured one by `ms`. */
export function shifted({ least, most }: ClockBounds, ms: number): ClockBounds {
  return { least: least + ms, most: most + ms };
}

function common(one: ClockBounds, other: ClockBounds): ClockBounds | undefined {
  const [least, most] = [Math.max(one.least, other.least), Math.min(one.most, other.most)];
  return least > most ? undefined : { least, most };
}
