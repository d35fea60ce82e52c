const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** A process that lived for this long did not die of its start. */
const LIVED_MS = 30_000;

/** The wait before a process is started again: twice as long each time it ends soon. */
export class Backoff {
  #next = FIRST_MS;

  /** `lived`: ms from its start to its end. */
  after(lived: number): number {
    if (lived >= LIVED_MS) this.#next = FIRST_MS;
    const wait = this.#next;
    this.#next = Math.min(LONGEST_MS, wait * 2);
    return wait;
  }
}
