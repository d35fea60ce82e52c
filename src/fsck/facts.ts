/** Collects facts about each object for the checks between objects, without the bodies of tiles. */

import type { InstallationIndex } from "../http/installations.ts";
import { logPrefix } from "../http/keys.ts";
import type { Checkpoint } from "../log/checkpoint.ts";
import type { Category } from "../resources/activity/route.ts";
import type { Head } from "../resources/activity/stored-feed.ts";
import type { Statistics } from "../resources/statistics/schema.ts";
import type { LogPlace } from "./kind.ts";
import type { ActivityTileFacts, ObservationFacts, Writer } from "./objects.ts";

/** The part of the lease that fsck compares (docs/spec/publishing.md#one-writer). */
export interface LeaseClaim {
  readonly epoch: number;
  readonly holder: string;
  /** Instant of the last cycle (epoch ms); undefined if there was none. */
  readonly lastCycleAt: number | undefined;
  /** Published paths with queries; empty if unknown. */
  readonly responses: readonly string[];
}

export interface ObservationTileFacts extends ObservationFacts {
  readonly tile: number;
}

/** Maps have the object key as their key, unless stated otherwise. */
export class Facts {
  readonly keys = new Set<string>();
  /** Unreadable objects. They have no other findings. */
  readonly damaged = new Set<string>();
  readonly writers = new Map<string, Writer>();
  /** The installation id in the body. */
  readonly installations = new Map<string, string>();
  /** Constants and assets that the object names. */
  readonly named = new Map<string, readonly string[]>();
  /** The key is `installationId log`. */
  readonly observations = new Map<string, ObservationTileFacts[]>();
  /** By prefix. */
  readonly logs = new Map<string, LogFacts>();
  readonly activityTiles = new Map<string, ActivityTileFacts>();
  readonly heads = new Map<Category, Head>();
  readonly statistics = new Map<string, Statistics>();
  /** Undefined if it is missing or damaged. */
  index: InstallationIndex | undefined;
  lease: LeaseClaim | undefined;

  logOf({ root, log }: LogPlace): LogFacts {
    const prefix = logPrefix(root, log);
    let found = this.logs.get(prefix);
    if (found === undefined) {
      found = { root, log, checkpoint: undefined, bundles: new Map(), counted: new Map(), tiles: new Map() };
      this.logs.set(prefix, found);
    }
    return found;
  }
}

export interface LogFacts extends LogPlace {
  /** Undefined if it is missing or damaged. */
  checkpoint: Checkpoint | undefined;
  /** The hashes of the entries, by the path of their bundle. */
  readonly bundles: Map<string, readonly Buffer[]>;
  /** By the path of their bundle: the entries that count for lifetime totals, and their place in the bundle. */
  readonly counted: Map<string, ReadonlyMap<number, string>>;
  /** The bodies of tiles of hashes, by path. */
  readonly tiles: Map<string, Uint8Array>;
}
