import { DueQueue } from "../due/due-queue.ts";

/**
 * How often the growing tile of an installation is put where puts cost something: the first new receipt at once, then at
 * most one put in the minimum put interval (docs/spec/publishing.md#the-cycle), as for any answer. In memory: a new process puts at once.
 */
export class TilePace {
  readonly #interval: number;
  /** Installation id → epoch ms of its last tile. */
  readonly #putAt = new Map<string, number>();
  /** Those with receipts that wait → epoch ms at which they are put. */
  readonly #waiting = new DueQueue();

  /** `interval` in ms. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Whether tiles may be put at `at`; where not, and there are some, they wait. */
  allows(installationId: string, at: number, hasTiles: boolean): boolean {
    const earliest = (this.#putAt.get(installationId) ?? Number.NEGATIVE_INFINITY) + this.#interval;
    const isAllowed = at >= earliest;
    this.#waiting.set(installationId, hasTiles && !isAllowed ? earliest : undefined);
    return isAllowed;
  }

  put(installationId: string, at: number): void {
    this.#putAt.set(installationId, at);
  }

  /** The earliest instant (epoch ms) at which a tile that waits is put; undefined where none does. */
  nextDue(): number | undefined {
    return this.#waiting.next();
  }

  /** The installations whose tiles wait. */
  waiting(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** The installations whose tiles have waited long enough at `at` (epoch ms). */
  due(at: number): ReadonlySet<string> {
    return this.#waiting.due(at);
  }
}
