/**
 * One object that is published: where it goes, what it depends on, how it is built. A cycle asks `inputs` first and
 * builds only where the text has changed or an instant is due.
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
  /** Whose facts it speaks of, where that is not the configured installation; null: nobody's. */
  readonly installationId?: string | null;
  /** For a file: the version of the program that made it. An older one's never replaces a newer one's. */
  readonly program?: string;
  /** The kinds of fact that it is computed from; none where absent. */
  readonly kinds?: readonly FactKind[];
  /** True if it is computed from the chain; absent means false. */
  readonly usesChain?: boolean;
  /**
   * For a response with other sources besides: the Core's state of a published body, which stays while the chain is behind
   * it. Undefined if the body does not show it.
   */
  publishedCore?(body: string): SafeCoreState | undefined;
  /** A constant that takes over when another response is no longer valid: it is stored before that one names it. */
  readonly isNamedByOthers?: boolean;
  /** Changes whenever anything changes that `build` reads, `at` aside: watermarks, a chain pass, a setting. */
  inputs(snapshot: Snapshot): string;
  /**
   * Pure in (snapshot, at). Throws where the body breaks its schema: the last good object then stays
   * (docs/spec/publishing.md#missing-is-unknown).
   */
  build(snapshot: Snapshot, at: number): Built;
  /**
   * Inputs that change often and matter little, such as the height of the chain. If nothing else changes, the next build
   * waits for `throttledInterval` (ms) after the last one, if puts cost money (docs/spec/publishing.md#the-cycle).
   */
  throttledInputs?(snapshot: Snapshot): string;
  readonly throttledInterval?: number;
  /**
   * The immutable objects that the response leads to: stored before it is, and deleted some time after nothing names them.
   */
  readonly tileSet?: TileSet;
  /** For a response whose last body is kept for later: settlement history, which replaces a silent chain. */
  readonly savedBody?: SavedBody;
  /** Not rebuilt sooner than this after the last build (ms), unless an instant is due; 0 where absent. */
  readonly minimumInterval?: number;
  /** The next instant (epoch ms) after `at` at which it is rebuilt although no input moved, such as a round's end. */
  rebuildAt?(snapshot: Snapshot, at: number): number | undefined;
}

/** Objects below a prefix that a response leads to. Several responses may have one prefix. */
export interface TileSet {
  readonly prefix: string;
  /** An object stays for this long (ms) after nothing names it: caches and readers may have the response that did. */
  readonly keptMs: number;
  /** Changes whenever any of them does. */
  version(snapshot: Snapshot): string;
  /** All of them, in groups: each is confirmed in the store before the next one is put, and all before the response is. */
  tiles(snapshot: Snapshot): readonly (readonly ImmutableTile[])[];
}

/** Its own fields are values; its body is read when its turn has come. */
export interface ImmutableTile {
  readonly key: string;
  /**
   * For a file that the shim serves as it is: everything except the body. Otherwise it is JSON, and only the shim reads it.
   */
  readonly answer?: Omit<Representation, "body">;
  /** Undefined if the projections have another tile there by now: the response that named this one is planned again. */
  body(snapshot: Snapshot): string | undefined;
}

export interface SavedBody {
  /** True if nothing is saved although there might be something: the store is then asked, once in a process. */
  isMissing(snapshot: Snapshot): boolean;
  /** Called with what is confirmed in the store: after each put, and where it was read back from there. */
  save(snapshot: WritableSnapshot, body: string): void;
}
