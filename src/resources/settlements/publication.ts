/** Publishes settlements (docs/spec/api.md#settlements): four ranges, and the queue. */

import { readActiveSubmission, type Submission } from "../../ledger/read/submissions.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { SETTLEMENTS, settlementChanges } from "../../projections/settlements/settlements.ts";
import { chainInput, HISTORY_HEIGHT_INTERVAL, heightTiming } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildSettlements, rangeOf, type SettlementsVariant } from "./build.ts";
import { windowOf } from "./history.ts";
import { isAvailable } from "./live-or-saved.ts";
import { SETTLEMENT_RANGES, type SettlementRange, settlementsKey } from "./route.ts";

const VARIANTS: readonly SettlementsVariant[] = [...SETTLEMENT_RANGES, "queue"];

const VIEW = { usesChain: true, isChainView: true, parts: [SETTLEMENTS] } as const;

export const settlementsPublications: readonly Publication[] = VARIANTS.map((variant) => ({
  resource: "settlements",
  ...historyPublication(settlementsKey(variant), rangeOf(variant)),
  sources: { ...VIEW, kinds: variant === "queue" ? ["submission"] : [] },
  inputs: (snapshot) =>
    variant === "queue" ? `${historyInput(snapshot)} ${candidateText(snapshot)}` : historyInput(snapshot),
  build: (snapshot, at) =>
    buildSettlements(variant, snapshot, variant === "queue" ? queueCandidate(snapshot) : undefined, at),
}));

/** The parts that both versions share. */
export function historyPublication(key: string, range: SettlementRange) {
  return {
    key,
    sources: VIEW,
    timing: {
      ...heightTiming(HISTORY_HEIGHT_INTERVAL),
      rebuildAt: (_: Snapshot, at: number) => windowOf(range, at)?.end,
    },
    hasHistory: isAvailable,
  } satisfies Partial<Publication>;
}

export function historyInput({ chain, projections }: Snapshot): string {
  return `${chainInput(chain)} ${settlementChanges(projections)}`;
}

function queueCandidate({ ledger, installationId }: Snapshot): Submission | undefined {
  const installation = ledger && installationRowId(ledger, installationId);
  return ledger === undefined || installation === undefined ? undefined : readActiveSubmission(ledger, installation);
}

function candidateText(snapshot: Snapshot): string {
  const candidate = queueCandidate(snapshot);
  if (candidate === undefined) return "";
  const { previousSettledThroughRound, settledThroughRound, activeRoundCount, expected } = candidate;
  const numbers = [previousSettledThroughRound, settledThroughRound, activeRoundCount];
  return [...numbers, expected.blockHeight, expected.completedBlockCount].join(" ");
}
