/** What is remembered of each RPC node between polls, and in which order they are asked. */
import { RangeSize } from "./range-size.ts";

export interface NodeMemory {
  readonly size: RangeSize;
  /** Whether its chain has Multicall3; undefined before it was asked. */
  multicall: boolean | undefined;
  /** Whether its last pass said anything of the chain. */
  hasAnswered: boolean;
  /** Epoch ms at which it last answered nothing in time. */
  silentAt: number;
}

const SILENCE_REMEMBERED = 30_000;

export class Nodes {
  readonly #memories: readonly NodeMemory[];

  constructor(count: number) {
    this.#memories = Array.from({ length: count }, () => ({
      size: new RangeSize(),
      multicall: undefined,
      hasAnswered: true,
      silentAt: -Infinity,
    }));
  }

  memory(index: number): NodeMemory {
    const memory = this.#memories[index];
    if (memory === undefined) throw new RangeError(`there is no node ${index}`);
    return memory;
  }

  /** By preference; who was silent a moment ago is asked last, because every question to it costs its time limit. */
  order(now: number): readonly number[] {
    const silent = (index: number) => (this.memory(index).silentAt > now - SILENCE_REMEMBERED ? 1 : 0);
    return [...this.#memories.keys()].sort((a, b) => silent(a) - silent(b) || a - b);
  }

  /** Whether no other node said anything of the chain when it was last asked. */
  answersAlone(index: number): boolean {
    return !this.#memories.some((other, at) => at !== index && other.hasAnswered);
  }
}
