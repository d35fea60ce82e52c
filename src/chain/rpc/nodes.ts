/** Keeps the state of each RPC node between polls, and decides the order in which nodes are asked. */

export interface NodeMemory {
  readonly size: RangeSize;
  /** True if the node's chain has Multicall3; undefined before it was asked. */
  multicall: boolean | undefined;
  /** True if the last pass got usable data from the node. */
  hasResponded: boolean;
  /** Epoch ms at which the node last exceeded a time limit. */
  silentAt: number;
  /** Epoch ms until which the node is skipped after a harmful response. */
  skippedUntil: number;
}

const SILENT_TTL_MS = 30_000;
/** How long a node is skipped after a harmful response (ms); shorter for the only node. */
const SKIP_MS = 300_000;
const SKIP_ONLY_NODE_MS = 30_000;

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
   * Returns the nodes by preference, without skipped ones. A node that was silent recently comes last, because each
   * request to it may take the whole time limit.
   */
  order(now: number): readonly number[] {
    const silent = (index: number) => (this.memory(index).silentAt > now - SILENT_TTL_MS ? 1 : 0);
    return [...this.#memories.keys()]
      .filter((index) => this.memory(index).skippedUntil <= now)
      .sort((a, b) => silent(a) - silent(b) || a - b);
  }

  /** Skips a node from `now` (epoch ms), and returns until when. */
  skip(index: number, now: number): number {
    const until = now + (this.#memories.length === 1 ? SKIP_ONLY_NODE_MS : SKIP_MS);
    this.memory(index).skippedUntil = until;
    return until;
  }

  /** Returns true if no other node responded when it was last asked. */
  isOnlyResponding(index: number): boolean {
    return !this.#memories.some((other, at) => at !== index && other.hasResponded);
  }
}

/** The number of blocks in the next request for events: halved after a refusal, increased while responses are small. */
export class RangeSize {
  blocks: number;
  /** The shortest refused range; undefined before the first refusal, and again after many responses. */
  #refused: number | undefined;
  #responses = 0;

  constructor(blocks = FIRST) {
    this.blocks = blocks;
  }

  /** Adjusts the size after a response with `events` events for a range of `blocks` blocks. */
  returned(blocks: number, events: number): void {
    // A short range, such as the end of a pass, says nothing about longer ones.
    if (blocks < this.blocks) return;
    if (++this.#responses >= RESPONSES_BEFORE_RETRY) this.#refused = undefined;
    if (events > SHRINK_ABOVE_EVENTS) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (events < GROW_BELOW_EVENTS) this.blocks = this.#longer();
  }

  /** Reduces the size after a refusal of a range of `blocks` blocks. */
  refused(blocks: number): void {
    this.#refused = Math.min(this.#refused ?? blocks, blocks);
    this.#responses = 0;
    this.blocks = Math.max(1, Math.min(this.blocks, Math.floor(blocks / 2)));
  }

  /** Returns twice the size, or half the distance to a refused size; the same size if little would be gained. */
  #longer(): number {
    const twice = Math.min(LARGEST, this.blocks * 2);
    if (this.#refused === undefined || twice < this.#refused) return twice;
    const middle = Math.floor((this.blocks + this.#refused) / 2);
    return middle - this.blocks > this.blocks / 8 ? middle : this.blocks;
  }
}

const FIRST = 500;
/** Most providers refuse longer ranges regardless of content. */
const LARGEST = 10_000;
/**
 * Limits of events per response for growing and shrinking. A few thousand events take some megabytes, and several
 * responses are in memory at once; providers limit responses to ten thousand events.
 */
const GROW_BELOW_EVENTS = 1_000;
const SHRINK_ABOVE_EVENTS = 2_500;
/** Number of responses after which a refused size is tried again, because the refusal may have been temporary. */
const RESPONSES_BEFORE_RETRY = 50;
