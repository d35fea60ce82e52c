/** How many blocks the next request for logs covers: halved where a provider refuses, grown where answers stay small. */
export class RangeSize {
  blocks: number;

  constructor(blocks = FIRST) {
    this.blocks = blocks;
  }

  /** After an answer of `logs` logs for a range of `blocks` blocks. */
  answered(blocks: number, logs: number): void {
    // An answer for a short range, such as the end of a pass, says nothing of longer ones.
    if (blocks < this.blocks) return;
    if (logs > MANY_LOGS) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (logs < FEW_LOGS) this.blocks = Math.min(LARGEST, this.blocks * 2);
  }

  /** After a refusal of a range of `blocks` blocks. */
  refused(blocks: number): void {
    this.blocks = Math.max(1, Math.min(this.blocks, Math.floor(blocks / 2)));
  }
}

const FIRST = 500;
/** Most providers refuse more, whatever is in it. */
const LARGEST = 10_000;
/** Ten thousand logs are the commonest limit; an answer far below it may be doubled. */
const FEW_LOGS = 3_000;
const MANY_LOGS = 8_000;
