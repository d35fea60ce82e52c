/** Inputs and timing of publications. While an input's text is unchanged, the response is not rebuilt. */

import type { ChainState } from "../chain/chain-state.ts";
import { genesisContradiction } from "../ledger/read/rounds.ts";
import type { FactKind } from "../ledger/schema.ts";
import { installationRowId, readWatermarks } from "../ledger/watermarks.ts";
import { lacksReceipts } from "../projections/advance.ts";
import { decimalText } from "../values/decimal.ts";
import type { Timing } from "./publication.ts";
import type { Snapshot } from "./snapshot.ts";

/** Returns the counts of some kinds of facts, which are never replaced. */
export function factsInput({ ledger }: Snapshot, installationId: string, kinds: readonly FactKind[]): string {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) return "none";
  const watermarks = readWatermarks(ledger, rowId);
  return kinds.map((kind) => watermarks[kind]).join(",");
}

/** Minimum time (ms) between two puts that change only the height, if puts cost money. */
export const ONCHAIN_HEIGHT_INTERVAL = 15_000;
export const HISTORY_HEIGHT_INTERVAL = 60_000;

const VALIDITY_STEP = 60_000;

/** Returns all of the chain's views except the height, as text. */
export function chainInput(chain: ChainState): string {
  const core = chain.core.status === "available" ? { ...chain.core.view, chain: undefined } : chain.core;
  return JSON.stringify([core, chain.economy, chain.binding], decimalText);
}

/** The timing of a response that is rebuilt at most every `interval` ms if only the chain's height changes. */
export function heightTiming(interval: number): Timing {
  return { throttledInputs: ({ chain }) => chainHeight(chain), throttledInterval: interval };
}

/** Returns the height, and the end of validity in steps of a minute, so that a rebuild extends it in time. */
function chainHeight(chain: ChainState): string {
  if (chain.core.status === "unavailable") return "";
  const { indexedThroughBlock, safeThroughBlock } = chain.core.view.chain;
  return `${indexedThroughBlock} ${safeThroughBlock} ${Math.floor(chain.validUntil / VALIDITY_STEP)}`;
}

/** True until the milestones have followed every receipt. Each cycle follows a limited number. */
export function hasUnfollowedReceipts({ ledger, installationId, projections }: Snapshot): boolean {
  return ledger !== undefined && lacksReceipts(projections, { ledger, installationId });
}

/** Throws `Failure` genesis_contradicted: this genesis would date every round wrongly. */
export function refuseContradictedGenesis({ ledger, installationId, genesisTimestamp }: Snapshot): void {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) return;
  const contradiction = genesisContradiction(ledger, rowId, genesisTimestamp);
  if (contradiction !== undefined) throw contradiction;
}
