/**
 * How far a clock is ahead of a store's (docs/spec/publishing.md#clocks). A store reports whole seconds, and a response takes
 * its time, so one response leaves a second and its round trip open. The bounds of the last minutes are intersected, which
 * leaves little more than their least round trip.
 */

/** The clock is ahead of the store by a value between both (ms; negative: behind). */
export interface ClockBounds {
  readonly least: number;
  readonly most: number;
}

/** The uncertainty of the store's whole seconds (ms). */
const GRAIN_MS = 999;
/** Responses count for this long (ms); the newest one always. */
const TTL_MS = 300_000;
/** Responses that agree are kept as one for this long (ms). */
const MERGE_MS = 10_000;

/**
 * From a response whose request was sent at `sent` and which arrived at `received`, by the clock in question; `date` is the
 * store's (ms).
 */
export function boundsOf(sent: number, date: number, received: number): ClockBounds {
  return { least: Math.min(sent, received) - (date + GRAIN_MS), most: received - date };
}

/** The proven difference: 0 if there may be none. */
export function provenSkew({ least, most }: ClockBounds): number {
  return least > 0 ? least : Math.min(0, most);
}

interface Kept {
  bounds: ClockBounds;
  /** The arrival of its first response. */
  readonly since: number;
}

/** Measured against a monotonic clock, so that results stay true. If that clock was stopped, the next response shows it. */
export class ClockOffset {
  /** Newest first. */
  #kept: Kept[] = [];

  /** `now` in ms of that clock. */
  add(bounds: ClockBounds, now: number): void {
    const [newest] = this.#kept;
    const together = newest && now - newest.since < MERGE_MS ? common(newest.bounds, bounds) : undefined;
    if (newest !== undefined && together !== undefined) newest.bounds = together;
    else this.#kept.unshift({ bounds, since: now });
    this.#kept = this.#kept.filter(({ since }, index) => index === 0 || now - since <= TTL_MS);
  }

  /** The intersection of the bounds, the newest first, as far as they agree; undefined before the first. */
  get bounds(): ClockBounds | undefined {
    const [newest, ...earlier] = this.#kept;
    let found = newest?.bounds;
    for (const { bounds } of earlier) {
      const both = found && common(found, bounds);
      // It is from before one of the clocks was set.
      if (both === undefined) break;
      found = both;
    }
    return found;
  }
}

/** The same for a clock that is ahead of that one by `ms`. */
export function shifted({ least, most }: ClockBounds, ms: number): ClockBounds {
  return { least: least + ms, most: most + ms };
}

function common(one: ClockBounds, other: ClockBounds): ClockBounds | undefined {
  const [least, most] = [Math.max(one.least, other.least), Math.min(one.most, other.most)];
  return least > most ? undefined : { least, most };
}
