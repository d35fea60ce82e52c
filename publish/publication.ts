/**
 * One object that is published: where it goes, what it depends on, how it is built. A cycle asks `inputs` first and
 * builds only where the text has changed or an instant is due.
 */
import type { Built } from "../src/resources/built.ts";
import type { ResourceName } from "../src/resources/names.ts";
import type { Sources } from "./sources.ts";

export interface Publication {
  readonly resource: ResourceName;
  readonly key: string;
  /** Changes whenever anything changes that `build` reads, `at` aside: watermarks, a chain pass, a setting. */
  inputs(sources: Sources): string;
  /**
   * Pure in (sources, at). Throws where the body breaks its schema: the last good object then stays
   * (design 1, "Missing is unknown").
   */
  build(sources: Sources, at: number): Built;
  /** Not rebuilt sooner than this after the last build (ms), unless an instant is due; 0 where absent. */
  readonly minimumInterval?: number;
  /** The next instant (epoch ms) after `at` at which it is rebuilt although no input moved, such as a round's end. */
  rebuildAt?(sources: Sources, at: number): number | undefined;
}
