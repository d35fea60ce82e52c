/** One pass of fsck: what was read, what must be there, and the findings. */
import { type ObjectStore, StoreDamaged, type StoredObject } from "../../object-store/object-store.ts";
import { errorMessage } from "../../values/unknown.ts";

export interface StoreFinding {
  /** `damaged`: it is not what was put. `wrong`: it is whole, but not what it should be. */
  readonly what: "damaged" | "missing" | "wrong" | "foreign";
  readonly key: string;
  readonly says: string;
}

/** Reads in flight. */
const CONCURRENCY = 16;

export class Pass {
  readonly #store: ObjectStore;
  readonly #findings = new Map<string, StoreFinding>();
  /** Keys that were read, because another object names them. */
  readonly #expected = new Set<string>();
  /** Epoch ms. */
  readonly now: number;
  readonly keys = new Set<string>();

  constructor(store: ObjectStore, now: number) {
    this.#store = store;
    this.now = now;
  }

  async list(): Promise<void> {
    for await (const key of this.#store.list("")) this.keys.add(key);
  }

  isExpected(key: string): boolean {
    return this.#expected.has(key);
  }

  get findings(): readonly StoreFinding[] {
    return [...this.#findings.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** The first finding of an object counts. */
  add(what: StoreFinding["what"], key: string, says: string): undefined {
    if (!this.#findings.has(key)) this.#findings.set(key, { what, key, says });
    return undefined;
  }

  /** Returns an object that must be there. Otherwise adds a finding. */
  async read(key: string): Promise<StoredObject | undefined> {
    this.#expected.add(key);
    try {
      return (await this.#store.get(key, { fresh: true })) ?? this.add("missing", key, "it is not stored");
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error;
      return this.add("damaged", key, error.message.slice(`${key} is damaged: `.length));
    }
  }

  /** Reads an object that must be there. What `judge` throws, or returns as a text, is wrong with it. */
  async judged<T>(key: string, judge: (object: StoredObject, text: string) => T | string): Promise<T | undefined> {
    const object = await this.read(key);
    if (object === undefined) return undefined;
    try {
      const found = judge(object, new TextDecoder().decode(object.body));
      return typeof found === "string" ? this.add("wrong", key, found) : found;
    } catch (error) {
      return this.add("wrong", key, errorMessage(error));
    }
  }
}

/** Runs `work` for each item, some at once. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<unknown>): Promise<void> {
  const all = [...items].values();
  const worker = async () => {
    for (const item of all) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
