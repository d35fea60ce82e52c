/** What falls due by time alone, found without asking everything: a binary heap, entries that no longer count left in it. */

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
  #heap: Entry[] = [];

  /** `at` in epoch ms, in place of the key's instant before; undefined: it has none. */
  set(key: string, at: number | undefined): void {
    if (at !== undefined && this.#instants.get(key) === at) return;
    this.#due.delete(key);
    if (at === undefined) {
      this.#instants.delete(key);
      return;
    }
    this.#instants.set(key, at);
    push(this.#heap, { key, at });
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
      pop(this.#heap);
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
    this.#heap = [];
  }

  /** The first that counts; what stood before it is gone. */
  #first(): Entry | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#counts(first)) return first;
      pop(this.#heap);
    }
  }

  #counts({ key, at }: Entry): boolean {
    return this.#instants.get(key) === at && !this.#due.has(key);
  }

  #sweep(): void {
    const entries = [...this.#instants].map(([key, at]) => ({ key, at })).filter((entry) => this.#counts(entry));
    // In order, an array is a heap.
    this.#heap = entries.sort((one, other) => one.at - other.at);
  }
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.at <= entry.at) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const moved = heap.pop();
  if (moved === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const isRight = right !== undefined && left !== undefined && right.at < left.at;
    const child = isRight ? right : left;
    if (child === undefined || child.at >= moved.at) break;
    heap[index] = child;
    index = 2 * index + (isRight ? 2 : 1);
  }
  heap[index] = moved;
}
