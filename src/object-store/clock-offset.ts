/**
 * How far a clock is ahead of a store's (docs/spec/publishing.md#clocks). A store tells whole seconds, and an answer takes
 * its time: one answer leaves a second and its round trip open, what many of the last minutes have in common leaves little
 * more than the least round trip among them.
 */

/** The clock is ahead of the store by something between both (ms; negative: behind). */
export interface ClockBounds {
  readonly least: number;
  readonly most: number;
}

/** What the store's whole seconds leave open (ms). */
const GRAIN_MS = 999;
/** Answers count for so long (ms); the newest one always. */
const KEPT_MS = 300_000;
/** Answers that agree are kept as one for so long (ms). */
const TOGETHER_MS = 10_000;

/** Of an answer that was asked for at `sent` and there at `received`, by the clock in question; `date` is the store's (ms). */
export function boundsOf(sent: number, date: number, received: number): ClockBounds {
  return { least: Math.min(sent, received) - (date + GRAIN_MS), most: received - date };
}

/** The difference that is proven: 0 where there may be none. */
export function provenSkew({ least, most }: ClockBounds): number {
  return least > 0 ? least : Math.min(0, most);
}

interface Kept {
  bounds: ClockBounds;
  /** When the first of its answers came. */
  readonly since: number;
}

/** Of a clock that nobody sets, so that what was found stays true; where it stood still the next answer tells. */
export class ClockOffset {
  /** Newest first. */
  #kept: Kept[] = [];

  /** `now` in ms of that clock. */
  add(bounds: ClockBounds, now: number): void {
    const [newest] = this.#kept;
    const together = newest && now - newest.since < TOGETHER_MS ? common(newest.bounds, bounds) : undefined;
    if (newest !== undefined && together !== undefined) newest.bounds = together;
    else this.#kept.unshift({ bounds, since: now });
    this.#kept = this.#kept.filter(({ since }, index) => index === 0 || now - since <= KEPT_MS);
  }

  /** What they have in common, the newest first, as far as they agree; undefined before the first. */
  get bounds(): ClockBounds | undefined {
    const [newest, ...earlier] = this.#kept;
    let found = newest?.bounds;
    for (const { bounds } of earlier) {
      const both = found && common(found, bounds);
      // From before one of the clocks was set.
      if (both === undefined) break;
      found = both;
    }
    return found;
  }
}

/** The same of a clock that is ahead of that one by `ms`. */
export function shifted({ least, most }: ClockBounds, ms: number): ClockBounds {
  return { least: least + ms, most: most + ms };
}

function common(one: ClockBounds, other: ClockBounds): ClockBounds | undefined {
  const [least, most] = [Math.max(one.least, other.least), Math.min(one.most, other.most)];
  return least > most ? undefined : { least, most };
}
