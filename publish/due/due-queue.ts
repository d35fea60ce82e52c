/** What falls due by time alone, found without asking everything: a heap, entries that no longer count left in it. */
import TinyQueue from "tinyqueue";

interface Entry {
  readonly key: string;
  /** Epoch ms. */
  readonly at: number;
}

/** How many entries that no longer count may lie in it, beside as many as do. */
const SLACK = 64;

export class DueQueue {
  readonly #instants = new Map<string, number>();
  /** Those whose instant has come and that have no other yet. */
  readonly #due = new Set<string>();
  #heap = heapOf([]);

  /** `at` in epoch ms, in place of the key's instant before; undefined: it has none. */
  set(key: string, at: number | undefined): void {
    if (at !== undefined && this.#instants.get(key) === at) return;
    this.#due.delete(key);
    if (at === undefined) {
      this.#instants.delete(key);
      return;
    }
    this.#instants.set(key, at);
    this.#heap.push({ key, at });
    if (this.#heap.length > 2 * this.#instants.size + SLACK) this.#sweep();
  }

  /** The earliest instant; undefined where there is none. */
  next(): number | undefined {
    let next = this.#first()?.at;
    for (const key of this.#due) next = Math.min(next ?? Number.POSITIVE_INFINITY, this.#instants.get(key) ?? 0);
    return next;
  }

  /** The keys whose instant has come; each stays due until it is given another. */
  due(at: number): ReadonlySet<string> {
    for (let first = this.#first(); first !== undefined && first.at <= at; first = this.#first()) {
      this.#due.add(first.key);
      this.#heap.pop();
    }
    return this.#due;
  }

  /** Those that have an instant. */
  keys(): Iterable<string> {
    return this.#instants.keys();
  }

  clear(): void {
    this.#instants.clear();
    this.#due.clear();
    this.#heap = heapOf([]);
  }

  /** The first that counts; what stood before it is gone. */
  #first(): Entry | undefined {
    for (;;) {
      const first = this.#heap.peek();
      if (first === undefined || this.#counts(first)) return first;
      this.#heap.pop();
    }
  }

  #counts({ key, at }: Entry): boolean {
    return this.#instants.get(key) === at && !this.#due.has(key);
  }

  #sweep(): void {
    const entries = [...this.#instants].map(([key, at]) => ({ key, at })).filter((entry) => this.#counts(entry));
    this.#heap = heapOf(entries);
  }
}

function heapOf(entries: Entry[]): TinyQueue<Entry> {
  return new TinyQueue(entries, (one, other) => one.at - other.at);
}
