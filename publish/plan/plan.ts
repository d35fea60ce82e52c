/** What a plan is: values alone, so that it outlives the snapshot it was made in. Nothing here writes. */
import type { StoreDamaged, StoredObject, StoreObject, StoreTag } from "../../src/object-store/object-store.ts";
import type { Asof } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ResourceName } from "../../src/resources/table.ts";
import type { Failure } from "../../src/values/failure.ts";
import type { Known } from "../known.ts";
import type { Inputs } from "../pace.ts";
import type { ReportRow } from "../report.ts";

/** The order that makes a crash safe: what is named is stored before what names it. */
export const PHASES = [
  /** The telemetry of an installation that is no longer the configured one, before its place is taken. */
  "previous",
  "tiles",
  "index-tiles",
  "constants",
  "answers",
  /** The growing tile of a history, then those between, then the last one. */
  "first-tile",
  "next-tiles",
  "last-tile",
  "shards",
  "index",
] as const;
export type Phase = (typeof PHASES)[number];

/** Who puts: part of every object's metadata. */
export interface Writer {
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
  /** What is stored now, as far as is known; null: nothing. */
  readonly replaces: StoreTag | null;
  /** Keys of other puts of this plan that must be confirmed before. */
  readonly after: readonly string[];
  /** True if the key is never used for two contents, or only grows: the same bytes by another writer are as good. */
  readonly isContentEnough: boolean;
  /** Made when its turn comes, so that memory stays flat; undefined if the sources have another object there by now. */
  object(writer: Writer, snapshot: <T>(use: (snapshot: Snapshot) => T) => T): StoreObject | undefined;
  /** What is known once the put is confirmed. */
  confirmed(known: Known, tag: StoreTag, object: StoreObject): void;
  /** What is asked again of a store that holds something else than was known. */
  conflicted(known: Known, found: StoredObject | StoreDamaged | undefined): void;
}

/** What a response names below a prefix, once all of it is stored. */
export interface NamedTiles {
  readonly prefix: string;
  /** Of what names them. */
  readonly head: string;
  readonly version: string;
  /** Names that are stored, and that the version no longer names. */
  readonly unnamed: readonly string[];
  /** Names that nothing named for a while, and that the version names again. */
  readonly renamed: readonly string[];
}

/** One object that nothing names any more. */
export interface Deletion {
  readonly key: string;
  confirmed(known: Known): void;
}

/** Something of the store that a plan needs and nobody has looked up yet. */
export type Unknown =
  /** An object, with its body. */
  | { readonly is: "answer" | "index" | "shard"; readonly key: string }
  /** The settlement history that a stored response shows, which the projections have lost. */
  | { readonly is: "saved"; readonly key: string; readonly publication: Publication }
  /** Where the tiles of a history end. */
  | { readonly is: "history"; readonly installationId: string; readonly history: string }
  /** The names below a prefix. */
  | { readonly is: "listing"; readonly prefix: string }
  /** The hash that the chain has at a block that was published. */
  | { readonly is: "block"; readonly number: string }
  /** Which installations have objects, and under which history: nothing else names them. */
  | { readonly is: "installations" };

/** A response that was judged: `put` is absent if it stays as it is. */
export interface PlannedAnswer {
  readonly publication: Publication;
  readonly inputs: Inputs;
  /** What it was computed from. */
  readonly version: Asof;
  readonly put: Put | undefined;
  readonly why: string;
  readonly isPlaceholder: boolean;
  /** Epoch ms: built again then, though no input has moved. */
  readonly dueAt: number | undefined;
  readonly milliseconds: number;
}

export interface FailedAnswer {
  readonly publication: Publication;
  readonly inputs: Inputs | undefined;
  readonly row: ReportRow | undefined;
  /** Its sources are behind what is published. */
  readonly regression: Failure | undefined;
}

/** An installation whose receipts are published. */
export interface PlannedObservations {
  readonly installationId: string;
  readonly regression: Failure | undefined;
  /** Epoch ms: the tiles wait until then; undefined if they do not wait. */
  readonly until: number | undefined;
  /** More tiles than one plan holds are left. */
  readonly hasMore: boolean;
}

export interface Plan {
  readonly unknown: readonly Unknown[];
  readonly answers: readonly PlannedAnswer[];
  readonly failed: readonly FailedAnswer[];
  /** Responses that have moved and may not be put yet: key and instant (epoch ms). */
  readonly waits: readonly (readonly [key: string, until: number])[];
  readonly observations: readonly PlannedObservations[];
  readonly puts: readonly Put[];
  readonly tileSets: readonly NamedTiles[];
}

export const NOTHING: Plan = {
  unknown: [],
  answers: [],
  failed: [],
  waits: [],
  observations: [],
  puts: [],
  tileSets: [],
};

/** The plans of one scope as one; it knows enough only if each of them does. */
export function joined(plans: readonly Plan[]): Plan {
  const all = <Name extends keyof Plan>(name: Name) => plans.flatMap((plan) => plan[name] as Plan[Name][number][]);
  const unknown = all("unknown") as Unknown[];
  if (unknown.length > 0) return needs(unknown);
  return {
    unknown,
    answers: all("answers") as PlannedAnswer[],
    failed: all("failed") as FailedAnswer[],
    waits: all("waits") as Plan["waits"],
    observations: all("observations") as PlannedObservations[],
    puts: all("puts") as Put[],
    tileSets: all("tileSets") as NamedTiles[],
  };
}

export function needs(unknown: readonly Unknown[]): Plan {
  return { ...NOTHING, unknown };
}
