/**
 * The publisher's knowledge of the object store, kept in the state directory and filled on demand. If another publisher has
 * held the lease since, all of it is forgotten.
 */
import { KnownListings, LISTING_TABLES } from "./known-listings.ts";
import { KnownObjects, OBJECTS_TABLE } from "./known-objects.ts";
import { KnownTiles, PROGRESS_TABLE } from "./known-tiles.ts";
import { StateRows } from "./state-rows.ts";

/** What is stored of installations, as far as the keys of their objects show it. */
export interface PublishedInstallations {
  /** Installation id → the number of the last log of which it has tiles; the first log if it has telemetry only. */
  readonly installations: ReadonlyMap<string, number>;
  /** The highest number of a log. */
  readonly log: number;
}

const TABLES = OBJECTS_TABLE + PROGRESS_TABLE + LISTING_TABLES;

/** Limit of the block hashes in memory. */
const BLOCKS_LIMIT = 256;

/** The hashes of published blocks, as this process's nodes gave them. */
class KnownBlocks {
  /** Hashes by number; null if every node was silent. */
  readonly #hashes = new Map<string, string | null>();
  #history = "";

  /** The hash at that number; null if every node was silent, undefined if none was asked. */
  hash(number: string): string | null | undefined {
    return this.#hashes.get(number);
  }

  /**
   * Must be called before a cycle checks the chain. If the `history` of the chain's file has changed, the file may hold
   * another fork, so that all block hashes are forgotten. `safe` is the safe block of the current view.
   */
  rememberChain(history: string, safe: { readonly number: bigint; readonly hash: string } | undefined): void {
    if (history !== this.#history) this.#hashes.clear();
    this.#history = history;
    if (safe !== undefined) this.remember(String(safe.number), safe.hash);
  }

  remember(number: string, hash: string | null): void {
    if (this.#hashes.size > BLOCKS_LIMIT) this.#hashes.clear();
    this.#hashes.set(number, hash);
  }

  /** Makes the next plan ask the nodes again for blocks for which none has responded. */
  forgetSilent(): void {
    for (const [number, hash] of this.#hashes) if (hash === null) this.#hashes.delete(number);
  }
}

export class Known {
  readonly rows: StateRows;
  readonly objects: KnownObjects;
  readonly tiles: KnownTiles;
  readonly listings: KnownListings;
  readonly blocks = new KnownBlocks();
  /** Looked up only if the index is lost. */
  publishedInstallations: PublishedInstallations | undefined;
  /** The number of the published log; undefined until it is looked up. */
  log: number | undefined;
  /** Ids of installations that the stored index must list and does not. */
  readonly unlisted = new Set<string>();
  /** The highest epoch of the objects that were read. */
  highestEpoch = 0;

  private constructor(rows: StateRows) {
    this.rows = rows;
    this.objects = new KnownObjects(rows);
    this.tiles = new KnownTiles(rows, this.objects);
    this.listings = new KnownListings(rows);
  }

  /**
   * Locks the state directory until its rows are closed. If the last process did not close the file, its rows may be older
   * than the store, and an object that changed twice could look unchanged. Then everything is forgotten. Throws `Failure`
   * state_locked, state_unusable, disk_full.
   */
  static open(directory: string): Known {
    return StateRows.open(directory, TABLES, (rows, wasOpen) => {
      const known = new Known(rows);
      if (wasOpen) known.forgetAll();
      return known;
    });
  }

  /** Knows nothing and keeps nothing on disk, for a repair or a comparison. */
  static inMemory(): Known {
    return new Known(StateRows.inMemory(TABLES));
  }

  /**
   * Makes the next plan read every object again except those of the other installations, because they may be damaged since the
   * last process.
   */
  readAgainAtStart(configured: string): void {
    this.objects.readAgain();
    this.tiles.readAgain(configured);
    this.log = undefined;
  }

  close(): void {
    this.rows.close();
  }

  /** Forgets what is stored, because another publisher may have written since. `meta`, the highest epoch and the blocks stay. */
  forgetAll(): void {
    for (const part of [this.objects, this.tiles, this.listings]) part.forgetAll();
    this.rows.save();
    this.unlisted.clear();
    this.publishedInstallations = undefined;
    this.log = undefined;
  }
}
