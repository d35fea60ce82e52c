/**
 * One object that is published: where it goes, what it depends on, how it is built. A cycle asks `inputs` first and
 * builds only where the text has changed or an instant is due.
 */
import type { Built } from "../../src/resources/built.ts";
import type { ResourceName } from "../../src/resources/names.ts";
import type { Sources } from "../sources/sources.ts";

export interface Publication {
  readonly resource: ResourceName;
  readonly key: string;
  /** Whose facts it speaks of, where that is not the configured installation. */
  readonly installationId?: string;
  /** Changes whenever anything changes that `build` reads, `at` aside: watermarks, a chain pass, a setting. */
  inputs(sources: Sources): string;
  /**
   * Pure in (sources, at). Throws where the body breaks its schema: the last good object then stays
   * (design 1, "Missing is unknown").
   */
  build(sources: Sources, at: number): Built;
  /**
   * What moves without news in it, such as the height of the chain: built anew for it alone no sooner than
   * `minorInterval` (ms) after the last build where puts cost something (design 1, "The cycle").
   */
  minorInputs?(sources: Sources): string;
  readonly minorInterval?: number;
  /** Puts what has to stand in the store before this answer does: the immutable tiles that it names. */
  before?(sources: Sources, putImmutable: (key: string, body: string) => Promise<void>): Promise<void>;
  /** Told what stands in the store: after each confirmed put, and where state that was lost is read back from it. */
  stands?(sources: Sources, body: string): void;
  /** Whether what `stands` would remember is missing; the store is then asked, once in a process. */
  lacks?(sources: Sources): boolean;
  /** Not rebuilt sooner than this after the last build (ms), unless an instant is due; 0 where absent. */
  readonly minimumInterval?: number;
  /** The next instant (epoch ms) after `at` at which it is rebuilt although no input moved, such as a round's end. */
  rebuildAt?(sources: Sources, at: number): number | undefined;
}
