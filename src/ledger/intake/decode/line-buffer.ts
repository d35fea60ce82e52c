/** Bytes in chunks of any size → whole lines, with never more than those and one unfinished line in memory. */

/** The longest line there is, in bytes without its end. */
export const LINE_MAX = 1024 * 1024;

/** So much of a longer line is kept that it is known to be longer, also with a CR. */
const KEPT_BYTES_LIMIT = LINE_MAX + 2;
const LF = 10;

export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES_LIMIT);
  /** `take` has given away everything before this. */
  #start = 0;
  /** Behind the last LF. */
  #whole = 0;
  #end = 0;

  /** Bytes of whole lines that `take` would give. */
  get size(): number {
    return this.#whole - this.#start;
  }

  /** Copies the chunk. Of a line that is too long it keeps only the beginning. */
  write(chunk: Uint8Array): void {
    const lf = chunk.indexOf(LF);
    const rest = lf < 0 ? chunk.length : lf;
    const kept = Math.min(rest, KEPT_BYTES_LIMIT - (this.#end - this.#whole));
    this.#makeRoom(kept + chunk.length - rest);
    this.#append(chunk.subarray(0, kept));
    if (lf < 0) return;
    const lines = chunk.subarray(lf);
    this.#whole = this.#end + lines.lastIndexOf(LF) + 1;
    this.#append(lines);
  }

  /**
   * The whole lines so far, each with its LF; with `last` also what follows the last LF. A view, good until the
   * next write.
   */
  take(last = false): Buffer {
    if (last) this.#whole = this.#end;
    const taken = this.#bytes.subarray(this.#start, this.#whole);
    this.#start = this.#whole;
    return taken;
  }

  #append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #makeRoom(size: number): void {
    if (this.#end + size <= this.#bytes.length) return;
    const held = this.#bytes.subarray(this.#start, this.#end);
    const needed = held.length + size;
    if (needed > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.set(held, 0);
    this.#whole -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
