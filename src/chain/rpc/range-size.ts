/** How many blocks the next request for logs covers: halved where a provider refuses, grown where answers stay small. */
export class RangeSize {
  blocks: number;
  /** The shortest range that was refused; undefined before the first refusal, and again after many answers. */
  #refused: number | undefined;
  #answers = 0;

  constructor(blocks = FIRST) {
    this.blocks = blocks;
  }

  /** After an answer of `logs` logs for a range of `blocks` blocks. */
  answered(blocks: number, logs: number): void {
    // An answer for a short range, such as the end of a pass, says nothing of longer ones.
    if (blocks < this.blocks) return;
    if (++this.#answers >= ANSWERS_BEFORE_ANOTHER_TRY) this.#refused = undefined;
    if (logs > MANY_LOGS) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (logs < FEW_LOGS) this.blocks = this.#longer();
  }

  /** After a refusal of a range of `blocks` blocks. */
  refused(blocks: number): void {
    this.#refused = Math.min(this.#refused ?? blocks, blocks);
    this.#answers = 0;
    this.blocks = Math.max(1, Math.min(this.blocks, Math.floor(blocks / 2)));
  }

  /** Twice as long; below a length that was refused, half of the way there, until little is to be gained. */
  #longer(): number {
    const twice = Math.min(LARGEST, this.blocks * 2);
    if (this.#refused === undefined || twice < this.#refused) return twice;
    const middle = Math.floor((this.blocks + this.#refused) / 2);
    return middle - this.blocks > this.blocks / 8 ? middle : this.blocks;
  }
}

const FIRST = 500;
/** Most providers refuse more, whatever is in it. */
const LARGEST = 10_000;
/** A few thousand logs are some megabytes, of which several are in memory at once; providers' limit is ten thousand. */
const FEW_LOGS = 1_000;
const MANY_LOGS = 2_500;
/** A refusal may have been of a moment. */
const ANSWERS_BEFORE_ANOTHER_TRY = 50;
