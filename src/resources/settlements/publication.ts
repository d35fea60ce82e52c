/** Publishes settlements (docs/spec/api.md#settlements): four ranges, and the queue. */

import { readActiveSubmission, type Submission } from "../../ledger/read/submissions.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildSettlements, rangeOf, type SettlementsVariant } from "./build.ts";
import { historyNews, historyPublication } from "./history/history-publication.ts";
import { SETTLEMENT_RANGES, settlementsKey } from "./route.ts";

const VARIANTS: readonly SettlementsVariant[] = [...SETTLEMENT_RANGES, "queue"];

export const settlementsPublications: readonly Publication[] = VARIANTS.map((variant) => ({
  resource: "settlements",
  ...historyPublication({ key: settlementsKey(variant), range: rangeOf(variant), version: "v4" }),
  sources: { kinds: variant === "queue" ? ["submission"] : [], usesChain: true },
  inputs: (snapshot) =>
    variant === "queue" ? `${historyNews(snapshot)} ${candidateText(snapshot)}` : historyNews(snapshot),
  build: (snapshot, at) =>
    buildSettlements(variant, snapshot, variant === "queue" ? queueCandidate(snapshot) : undefined, at),
}));

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
