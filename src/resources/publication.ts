/**
 * One published object: its key, sources, and build function. A cycle builds it only if its `inputs` have changed or an
 * instant is due.
 */
import type { Representation } from "../http/representation.ts";
import type { FactKind } from "../ledger/schema.ts";
import type { Built } from "./built.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ResourceName } from "./table.ts";

export interface Publication {
  readonly resource: ResourceName;
  readonly key: string;
  /**
   * The response's sources. Absent for a constant, which is stored first because other
   * responses may name it.
   */
  readonly sources?: Sources;
  /** Returns a text that changes if anything changes that `build` reads, except the instant. */
  inputs(snapshot: Snapshot): string;
  /**
   * A pure function; `at` is in epoch ms. Throws if the body breaks its schema: the last good object then stays stored
   * (docs/spec/publishing.md#promises).
   */
  build(snapshot: Snapshot, at: number): Built;
  /** If absent, the response is rebuilt only when `inputs` changes. */
  readonly timing?: Timing;
  /** Immutable objects that the response names: put before it, and deleted some time after nothing names them. */
  readonly tileSet?: TileSet;
  /** True if it shows the Core's state also while the chain is silent or behind: then the published state is kept. */
  readonly keepsCore?: boolean;
  /** True if a body has settlement history. Later builds get it, and it is saved before a put would lose it. */
  hasHistory?(body: string): boolean;
}

/** Returns why a part of the projections that the response reads could not be derived; undefined if every part was. */
export function faultOf({ sources }: Publication, { faults }: Snapshot): unknown {
  return sources?.parts?.map((part) => faults?.get(part)).find((fault) => fault !== undefined);
}

/** Builds a response. Throws the fault of a part that it reads, and what `build` throws. */
export function buildOf(publication: Publication, snapshot: Snapshot, at: number): Built {
  const fault = faultOf(publication, snapshot);
  if (fault !== undefined) throw fault;
  return publication.build(snapshot, at);
}

interface Sources {
  /** The configured installation if absent; null for none. */
  readonly installationId?: string | null;
  /** Kinds of facts; none if absent. */
  readonly kinds?: readonly FactKind[];
  readonly usesChain?: boolean;
  /** True if the response is a view of the chain, which is unavailable if it cannot be rendered. */
  readonly isChainView?: boolean;
  /** The parts of the projections that it reads. If one cannot be derived, the response fails. */
  readonly parts?: readonly string[];
  /** The program version that built a file. An older version never replaces a newer one's file. */
  readonly program?: string;
}

/** When a response is rebuilt, besides changes of its `inputs`. */
export interface Timing {
  /** Minimum time between two builds (ms), unless an instant is due. */
  readonly minimumInterval?: number;
  /**
   * Inputs that change often and matter little, such as the chain's height. If nothing else changes and puts cost
   * money, the next build waits `throttledInterval` (ms) after the last one (docs/spec/publishing.md#the-cycle).
   */
  throttledInputs?(snapshot: Snapshot): string;
  readonly throttledInterval?: number;
  /** Returns the next instant (epoch ms) after `at` at which to rebuild the response, such as the end of a round. */
  rebuildAt?(snapshot: Snapshot, at: number): number | undefined;
}

/** Objects under a prefix that a response names. Several responses may share a prefix. */
export interface TileSet {
  readonly prefix: string;
  /** Milliseconds to keep an object after nothing names it: caches and readers may have an older response. */
  readonly keptMs: number;
  /** Changes if any of the objects does. */
  version(snapshot: Snapshot): string;
  /** Returns all objects in groups. Each group is stored before the next is put, and all before the response. */
  tiles(snapshot: Snapshot): readonly (readonly ImmutableTile[])[];
}

/** The body is read just before the put, so that memory use stays flat. */
export interface ImmutableTile {
  readonly key: string;
  /** For files that the shim serves: the response without body. Other tiles are JSON that only the shim reads. */
  readonly representation?: Omit<Representation, "body">;
  /** Returns undefined if the projections have replaced this tile: the response that named it is planned again. */
  body(snapshot: Snapshot): string | undefined;
}
