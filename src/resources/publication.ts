/**
 * One published object: its key, its sources and how it is built. A cycle builds it only if its `inputs` have changed or an
 * instant is due.
 */
import type { SafeCoreState } from "../chain/chain-state.ts";
import type { Representation } from "../http/representation.ts";
import type { FactKind } from "../ledger/schema.ts";
import type { Built } from "./built.ts";
import type { Snapshot, WritableSnapshot } from "./snapshot.ts";
import type { ResourceName } from "./table.ts";

export interface Publication {
  readonly resource: ResourceName;
  readonly key: string;
  /**
   * The inputs of the response; its source version records them. Absent for a constant, which is stored first because
   * other responses may name it.
   */
  readonly sources?: Sources;
  /** Changes if anything changes that `build` reads, except the instant. */
  inputs(snapshot: Snapshot): string;
  /**
   * Pure in its arguments; `at` in epoch ms. Throws if the body breaks its schema: the last good object then stays
   * (docs/spec/publishing.md#missing-is-unknown).
   */
  build(snapshot: Snapshot, at: number): Built;
  /** If absent, the response is rebuilt when `inputs` changes. */
  readonly timing?: Timing;
  /** Immutable objects that the response names: stored before it, and deleted some time after nothing names them. */
  readonly tileSet?: TileSet;
  /** Later builds need the published body. */
  readonly publishedBody?: PublishedBody;
}

export interface Sources {
  /** The configured installation if absent; null: none. */
  readonly installationId?: string | null;
  /** Kinds of fact; none if absent. */
  readonly kinds?: readonly FactKind[];
  readonly usesChain?: boolean;
  /** The program version that made a file. An older version never replaces a newer one. */
  readonly program?: string;
}

/** When a response is rebuilt, besides changes of its `inputs`. */
export interface Timing {
  /** Minimum time between two builds (ms), unless an instant is due. */
  readonly minimumInterval?: number;
  /**
   * Inputs that change often and matter little, such as the height of the chain. If nothing else changes and puts cost money,
   * the next build waits for `throttledInterval` (ms) after the last one (docs/spec/publishing.md#the-cycle).
   */
  throttledInputs?(snapshot: Snapshot): string;
  readonly throttledInterval?: number;
  /** The next instant (epoch ms) after `at` at which the response is rebuilt, such as the end of a round. */
  rebuildAt?(snapshot: Snapshot, at: number): number | undefined;
}

/** The part of a published body that later builds need. */
export interface PublishedBody {
  /** The Core's state in the body. It stays while the chain is behind it; undefined if the body has none. */
  core?(body: string): SafeCoreState | undefined;
  /** Settlement history, which replaces a silent chain. */
  readonly history?: SavedHistory;
}

/** Objects below a prefix that a response names. Several responses may have one prefix. */
export interface TileSet {
  readonly prefix: string;
  /** An object is deleted this long (ms) after nothing names it: caches and readers may have an older response. */
  readonly keptMs: number;
  /** Changes if any of the objects does. */
  version(snapshot: Snapshot): string;
  /** All objects in groups. A group is stored before the next one is put, and all groups before the response. */
  tiles(snapshot: Snapshot): readonly (readonly ImmutableTile[])[];
}

/** The body is read right before the put, so that memory stays flat. */
export interface ImmutableTile {
  readonly key: string;
  /** For a file that the shim serves: everything except the body. Any other tile is JSON, and only the shim reads it. */
  readonly answer?: Omit<Representation, "body">;
  /** Undefined if the projections have another tile by now: the response that named this one is planned again. */
  body(snapshot: Snapshot): string | undefined;
}

export interface SavedHistory {
  /** True if nothing is saved although something may be stored. A process then reads the store once. */
  isMissing(snapshot: Snapshot): boolean;
  /** Called with a body that the store has confirmed. */
  save(snapshot: WritableSnapshot, body: string): void;
  /** Called with a body that was read from the store. It is saved if it is newer than what is saved. */
  restore(snapshot: WritableSnapshot, body: string): void;
}
