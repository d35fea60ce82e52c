/** Inputs and timing of publications. If an input's text is unchanged, the response is not rendered again. */

import type { ChainState } from "../chain/chain-state.ts";
import { readFactSum } from "../ledger/read/changes.ts";
import type { FactKind } from "../ledger/schema.ts";
import { installationRowId, readWatermarks } from "../ledger/watermarks.ts";
import { lacksReceipts } from "../projections/advance.ts";
import { decimalText } from "../values/decimal.ts";
import type { Timing } from "./publication.ts";
import type { Snapshot } from "./snapshot.ts";

/** The counts and sums of some kinds of facts. A replaced fact changes its sum, though not the count. */
export function factsInput({ ledger }: Snapshot, installationId: string, kinds: readonly FactKind[]): string {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) return "none";
  const watermarks = readWatermarks(ledger, rowId);
  return kinds.map((kind) => `${watermarks[kind]} ${readFactSum(ledger, rowId, kind, watermarks[kind]).sum}`).join(",");
}

/** If puts cost money, the least time (ms) between two puts that change only the height. */
export const ONCHAIN_HEIGHT_INTERVAL = 15_000;
export const HISTORY_HEIGHT_INTERVAL = 60_000;

const VALIDITY_STEP = 60_000;
const news = new WeakMap<ChainState, string>();

/** Everything of a view except the chain's height. It is computed once per pass. */
export function chainNews(chain: ChainState): string {
  let text = news.get(chain);
  if (text === undefined) {
    const core = chain.core.status === "available" ? { ...chain.core.view, chain: undefined } : chain.core;
    text = JSON.stringify([core, chain.economy, chain.binding], decimalText);
    news.set(chain, text);
  }
  return text;
}

/** For a response that is rebuilt at most every `interval` ms while only the chain's height changes. */
export function heightTiming(interval: number): Timing {
  return { throttledInputs: ({ chain }) => chainHeight(chain), throttledInterval: interval };
}

/** The height, and the end of the views' validity in steps of a minute, so that it is extended in time. */
function chainHeight(chain: ChainState): string {
  if (chain.core.status === "unavailable") return "";
  const { indexedThroughBlock, safeThroughBlock } = chain.core.view.chain;
  return `${indexedThroughBlock} ${safeThroughBlock} ${Math.floor(chain.validUntil / VALIDITY_STEP)}`;
}

/** True until the milestones have followed every receipt. Each cycle follows some of them. */
export function hasUnfollowedReceipts({ ledger, installationId, projections }: Snapshot): boolean {
  return ledger !== undefined && lacksReceipts(projections, { ledger, installationId });
}
