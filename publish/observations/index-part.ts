/** One object that names installations, as a session knows it: the whole index, or a shard of it. */
import type { HistoryNames } from "../../src/http/installations.ts";
import { type ObjectStore, StoreDamaged } from "../../src/object-store/object-store.ts";
import { damagedObject, readPublished } from "../answers/published-object.ts";
import type { Published } from "../state/published.ts";

export class IndexPart {
  readonly key: string;
  readonly #names: Map<string, string>;
  #isLost: boolean;
  /** Rises with each change of the names. */
  #revision = 0;
  #putRevision: number;

  /** `names`: undefined where the object is lost. */
  constructor(key: string, names: HistoryNames | undefined) {
    this.key = key;
    this.#names = new Map(names);
    this.#isLost = names === undefined;
    this.#putRevision = names === undefined ? -1 : 0;
  }

  get names(): HistoryNames {
    return this.#names;
  }

  /** Missing or damaged: whom it named has to be asked of the installations' own objects before it is put. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Whether the store does not have these names yet. */
  get isChanged(): boolean {
    return this.#putRevision !== this.#revision;
  }

  name(installationId: string, history: string): void {
    if (this.#names.get(installationId) === history) return;
    this.#names.set(installationId, history);
    this.#revision++;
  }

  /** All that it may have named has been asked. */
  recovered(): void {
    this.#isLost = false;
  }

  /** The store has the names of a revision. */
  put(revision: number): void {
    this.#putRevision = revision;
  }
}

/**
 * Reads an object and remembers it; undefined where there is none, or it is damaged, which is remembered too: it is put
 * anew. `parse` throws where the text says nothing.
 */
export async function readIndexObject<T>(
  { store, published }: { readonly store: ObjectStore; readonly published: Published },
  key: string,
  parse: (text: string) => T,
): Promise<T | undefined> {
  const found = await readPublished(store, published, key);
  if (found === undefined) return undefined;
  try {
    return parse(new TextDecoder().decode(found.body));
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    published.remember(damagedObject(new StoreDamaged(key, found.tag, because, { cause })));
    return undefined;
  }
}
