import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { sweepActivity } from "../activity/sweep.ts";
import type { PutTarget } from "../puts/put-target.ts";
import { removeSite, sweepAssets } from "../site/leave.ts";
import type { CycleSources } from "../sources/cycle-sources.ts";
import type { Session } from "./session.ts";

export interface Sweeping {
  readonly sources: CycleSources;
  readonly target: PutTarget;
  /** Epoch ms. */
  readonly at: number;
}

/** Deletions last: they are of no use to a reader, and what fails of them is done in a later cycle. */
export async function sweep({ published, selected }: Session, { sources, target, at }: Sweeping, hasSite: boolean) {
  try {
    if (selected("activity")) await sweepActivity({ sources, target, published }, at);
    if (selected("site")) await (hasSite ? sweepAssets(target, published, at) : removeSite(target, published));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}
