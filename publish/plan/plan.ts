/** A plan: the puts of one scope, as values that outlive their snapshot. Nothing here writes. */

import type { Signer } from "../../src/log/signer.ts";
import type { StoreDamaged, StoredObject, StoreObject, StoreTag } from "../../src/object-store/object-store.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ResourceName } from "../../src/resources/table.ts";
import type { Due, Inputs, RefusedSources } from "../due.ts";
import type { Known } from "../known.ts";

/** Inputs of every plan besides the snapshot. */
export interface Planning {
  readonly known: Known;
  readonly due: Due;
  /** The keys that sign the log, all of one name; none: the log is private. */
  readonly signers: readonly Signer[];
  /** Put everything as of now, changed or not. */
  readonly force: boolean;
  /** Epoch ms. */
  readonly at: number;
  /** The version of this program. */
  readonly program: string;
}

/** The order of puts. After a crash, no stored object names one that is missing. */
export const PHASES = [
  "log-files",
  "checkpoint",
  "tiles",
  "index-tiles",
  "constants",
  /** Observation tiles if a new one begins: the growing one, those in between, the last one. */
  "first-tile",
  "next-tiles",
  "last-tile",
  "responses",
  /** The growing observation tile alone. Telemetry comes first, so that readers get it sooner. */
  "grown-tile",
  "index",
] as const;
export type Phase = (typeof PHASES)[number];

/** Identifies the writer in the metadata of every object. */
interface Writer {
  readonly epoch: number;
  readonly writer: string;
}

/** One object that should be stored. */
export interface Put {
  readonly key: string;
  readonly resource: ResourceName;
  readonly phase: Phase;
  readonly why: string;
  readonly action: "created" | "updated";
  /** The response's status and ETag, for the report. */
  readonly status: number;
  readonly etag: string | null;
  /** The tag of the stored object; null: none. */
  readonly replaces: StoreTag | null;
  /** Keys that must be stored before. */
  readonly after: readonly string[];
  /** True if it is computed from facts, so that it is put after the checkpoint that covers them. */
  readonly isFromFacts: boolean;
  /** True if the same bytes from another writer will do. */
  readonly isContentEnough: boolean;
  /** Builds the object right before the put, which keeps memory flat. Returns undefined if the sources have changed since. */
  object(writer: Writer, snapshot: <T>(use: (snapshot: Snapshot) => T) => T): StoreObject | undefined;
  /** Called after the store has confirmed the put. */
  confirmed(known: Known, tag: StoreTag, object: StoreObject): void;
  /** Called after a conflict, so that `known` forgets the key. */
  conflicted(known: Known, found: StoredObject | StoreDamaged | undefined): void;
}

/** The tiles that a response names below a prefix. */
export interface NamedTiles {
  readonly prefix: string;
  /** Key of the response that names them. */
  readonly head: string;
  readonly version: string;
  /** Names that the last version had and this one lacks. */
  readonly dropped: readonly string[];
  /** Stored names that an earlier version had dropped. */
  readonly namedAgain: readonly string[];
}

/** Limit of each list of deletions. The next cycle continues. */
export const DELETIONS_LIMIT = 64;

/** One object to delete. */
export interface Deletion {
  readonly key: string;
  confirmed(known: Known): void;
}

/** Something that a plan needs and `known` lacks. */
export type Lookup = StoreLookup | BlockLookup;

/** The chain's hash at a published block. */
interface BlockLookup {
  readonly is: "block";
  readonly number: string;
}

export type StoreLookup =
  /** An object, with its body. */
  | { readonly is: "object"; readonly key: string }
  | { readonly is: "index" }
  /** The number of the published log, and its checkpoint. */
  | { readonly is: "log" }
  /** The end of an installation's tiles in a log. The ledger has no receipts after `lastTile`. */
  | { readonly is: "progress"; readonly installationId: string; readonly log: number; readonly lastTile: number }
  /** The names below a prefix. */
  | { readonly is: "listing"; readonly prefix: string }
  /** All installations with stored objects; needed if the index is lost. */
  | { readonly is: "installations" };

/** A response that was due. `put` is undefined if it stays as it is. */
export interface PlannedResponse {
  readonly publication: Publication;
  readonly inputs: Inputs;
  /** Its source version. */
  readonly version: SourceVersion;
  readonly put: Put | undefined;
  /** Settlement history of a deployment that the put takes out of the store. */
  readonly lostHistory: { readonly chain: string; readonly body: string } | undefined;
  readonly why: string;
  /** As in `Decision`. */
  readonly isProvisional: boolean;
  /** Epoch ms at which it is built again, even if no input has changed. */
  readonly dueAt: number | undefined;
  readonly milliseconds: number;
  /** Why this says unavailable: the response could not be rendered. */
  readonly failure?: unknown;
}

/** A response that was due and stays as it is, because it failed or its sources are refused. */
interface FailedResponse {
  readonly publication: Pick<Publication, "key" | "resource">;
  readonly inputs: Inputs | undefined;
  /** Undefined if the sources are refused. */
  readonly error: unknown;
}

/** The result of checking an installation's sources. */
interface Checked {
  readonly installationId: string;
  readonly refused: RefusedSources;
}

/** The tiles of one installation. */
interface PlannedObservations {
  readonly installationId: string;
  /** Epoch ms until which the tiles wait. */
  readonly until: number | undefined;
  readonly hasPuts: boolean;
  /** The next plan has more tiles. */
  readonly hasMore: boolean;
}

export interface Plan {
  readonly lookups: readonly Lookup[];
  readonly checked: readonly Checked[];
  readonly responses: readonly PlannedResponse[];
  readonly failed: readonly FailedResponse[];
  /** Responses that have changed and may not be put yet: key and instant (epoch ms). */
  readonly waits: readonly (readonly [key: string, until: number])[];
  readonly observations: readonly PlannedObservations[];
  /** Published installations that the stored index lacks, because an older index came back. */
  readonly unlisted: readonly string[];
  /** New entries of the log, and its checkpoint. Everything else is put after them. */
  readonly log: readonly Put[];
  /** The log goes up in several plans. The last of them has the rest of the scope. */
  readonly hasMoreLog: boolean;
  readonly puts: readonly Put[];
  readonly tileSets: readonly NamedTiles[];
}

export const EMPTY_PLAN: Plan = {
  lookups: [],
  checked: [],
  responses: [],
  failed: [],
  waits: [],
  observations: [],
  unlisted: [],
  log: [],
  hasMoreLog: false,
  puts: [],
  tileSets: [],
};

export function needs(lookups: readonly Lookup[]): Plan {
  return { ...EMPTY_PLAN, lookups };
}
