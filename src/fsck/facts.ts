/** What one pass over the store keeps of each object, to be held against the others: no bodies of tiles. */
import type { HistoryNames, InstallationIndex } from "../http/installations.ts";
import type { Category } from "../resources/activity/keys.ts";
import type { Head } from "../resources/activity/stored-feed.ts";
import type { ActivityTileFacts } from "./objects/activity-tile.ts";
import type { ObservationFacts } from "./objects/observation-tile.ts";
import type { Writer } from "./objects/writer.ts";

/** The lease as its own room reads it (docs/spec/publishing.md#one-writer). */
export interface LeaseClaim {
  readonly epoch: number;
  readonly holder: string;
  /** When the last cycle was (epoch ms); undefined if there was none. */
  readonly lastCycleAt: number | undefined;
  /** Paths that have been answered, queries included; empty where it does not say. */
  readonly answers: readonly string[];
}

export interface ObservationTileFacts extends ObservationFacts {
  readonly tile: number;
}

/** All by key, but where it says otherwise. */
export class Facts {
  readonly keys = new Set<string>();
  /** What could not be read: nothing more is said of it. */
  readonly damaged = new Set<string>();
  readonly writers = new Map<string, Writer>();
  /** Whose a body says that it is. */
  readonly installations = new Map<string, string>();
  /** Constants and assets that it names. */
  readonly named = new Map<string, readonly string[]>();
  /** By `installationId history`. */
  readonly histories = new Map<string, ObservationTileFacts[]>();
  readonly activityTiles = new Map<string, ActivityTileFacts>();
  readonly heads = new Map<Category, Head>();
  index: InstallationIndex | undefined;
  /** Of a long index, those that could be read. */
  readonly shards = new Map<string, HistoryNames>();
  lease: LeaseClaim | undefined;
}
