/** Bytes in chunks of any size → batches of whole lines, with never more than a batch and one line in memory. */

/** The longest line there is, in bytes without its end. */
export const LINE_MAX = 1024 * 1024;

/** What of a longer line is kept: enough to see that it is longer, with CR and all. */
const KEPT_MAX = LINE_MAX + 2;
const LF = 10;

export class BatchReader {
  #whole: Buffer[] = [];
  #wholeSize = 0;
  #unfinished: Buffer[] = [];
  #unfinishedSize = 0;

  /** Bytes of whole lines that `take` would give. */
  get size(): number {
    return this.#wholeSize;
  }

  /** The chunk is kept and not copied: it must not change afterwards. */
  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === 0) {
      this.#extend(bytes);
      return;
    }
    // The line that was unfinished ends at the first LF of the chunk; what it is too long for is dropped.
    const firstEnd = this.#unfinishedSize === 0 ? 0 : bytes.indexOf(LF) + 1;
    if (firstEnd > 0) {
      this.#extend(bytes.subarray(0, firstEnd - 1));
      this.#whole.push(...this.#unfinished);
      this.#wholeSize += this.#unfinishedSize;
      this.#unfinished = [];
      this.#unfinishedSize = 0;
      this.#keep(bytes.subarray(firstEnd - 1, end));
    } else {
      this.#keep(bytes.subarray(0, end));
    }
    this.#extend(bytes.subarray(end));
  }

  /** The whole lines so far, each with its LF; with `last` also what stands behind the last LF. Empty where none is. */
  take(last = false): Buffer {
    const pieces = last ? [...this.#whole, ...this.#unfinished] : this.#whole;
    this.#whole = [];
    this.#wholeSize = 0;
    if (last) {
      this.#unfinished = [];
      this.#unfinishedSize = 0;
    }
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  }

  #keep(lines: Buffer): void {
    this.#whole.push(lines);
    this.#wholeSize += lines.length;
  }

  #extend(bytes: Buffer): void {
    const kept = bytes.subarray(0, KEPT_MAX - this.#unfinishedSize);
    if (kept.length === 0) return;
    this.#unfinished.push(kept);
    this.#unfinishedSize += kept.length;
  }
}
