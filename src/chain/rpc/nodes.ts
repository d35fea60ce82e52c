/** The state of each RPC node between polls, and the order in which nodes are asked. */

export interface NodeMemory {
  readonly size: RangeSize;
  /** True if its chain has Multicall3; undefined before it was asked. */
  multicall: boolean | undefined;
  /** True if its last pass said anything of the chain. */
  hasResponded: boolean;
  /** Epoch ms at which it last did not respond in time. */
  silentAt: number;
  /** Epoch ms until which it is not asked: it has sent more than its request could have. */
  skippedUntil: number;
}

const SILENCE_REMEMBERED = 30_000;
/** Ms for which a node is skipped that has sent a harmful response; the only node is asked sooner. */
const SKIPPED = 300_000;
const SKIPPED_ALONE = 30_000;

export class Nodes {
  readonly #memories: readonly NodeMemory[];

  constructor(count: number) {
    this.#memories = Array.from({ length: count }, () => ({
      size: new RangeSize(),
      multicall: undefined,
      hasResponded: true,
      silentAt: -Infinity,
      skippedUntil: -Infinity,
    }));
  }

  memory(index: number): NodeMemory {
    const memory = this.#memories[index];
    if (memory === undefined) throw new RangeError(`there is no node ${index}`);
    return memory;
  }

  /**
   * By preference, without those that are skipped. A node that was silent a moment ago comes last, because each request to it
   * costs the whole time limit.
   */
  order(now: number): readonly number[] {
    const silent = (index: number) => (this.memory(index).silentAt > now - SILENCE_REMEMBERED ? 1 : 0);
    return [...this.#memories.keys()]
      .filter((index) => !this.#isSkipped(index, now))
      .sort((a, b) => silent(a) - silent(b) || a - b);
  }

  /** Skips a node from `now` on (epoch ms). Returns until when. */
  skip(index: number, now: number): number {
    const until = now + (this.#memories.length === 1 ? SKIPPED_ALONE : SKIPPED);
    this.memory(index).skippedUntil = until;
    return until;
  }

  /** Never longer than a skip lasts: the clock may have been ahead when it began. */
  #isSkipped(index: number, now: number): boolean {
    const { skippedUntil } = this.memory(index);
    return skippedUntil > now && skippedUntil <= now + SKIPPED;
  }

  /** True if no other node said anything of the chain when it was last asked. */
  respondsAlone(index: number): boolean {
    return !this.#memories.some((other, at) => at !== index && other.hasResponded);
  }
}

/** How many blocks the next request for logs covers: halved if a provider refuses, longer while responses are small. */
export class RangeSize {
  blocks: number;
  /** The shortest range that was refused; undefined before the first refusal, and again after many responses. */
  #refused: number | undefined;
  #responses = 0;

  constructor(blocks = FIRST) {
    this.blocks = blocks;
  }

  /** After a response with `logs` logs for a range of `blocks` blocks. */
  returned(blocks: number, logs: number): void {
    // A short range, such as the end of a pass, says nothing of longer ones.
    if (blocks < this.blocks) return;
    if (++this.#responses >= RESPONSES_BEFORE_RETRY) this.#refused = undefined;
    if (logs > MANY_LOGS) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (logs < FEW_LOGS) this.blocks = this.#longer();
  }

  /** After a refusal of a range of `blocks` blocks. */
  refused(blocks: number): void {
    this.#refused = Math.min(this.#refused ?? blocks, blocks);
    this.#responses = 0;
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
const RESPONSES_BEFORE_RETRY = 50;
