/**
 * read-api.md 4.7 and 4.9: five answers of the current version, four of the legacy one. What is published live is
 * saved under its binding, so that it can stand in when the chain cannot be read.
 */
import { legacySettlementsKey, SETTLEMENT_RANGES, type SettlementRange, settlementsKey } from "../../src/http/keys.ts";
import { readActiveSubmission, type Submission } from "../../src/ledger/read/submissions.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import { changesOf } from "../../src/projections/chain-events.ts";
import { savedHistory, saveHistory } from "../../src/projections/settlements/saved-history.ts";
import { SETTLEMENTS_PROJECTION } from "../../src/projections/settlements/settlements.ts";
import { buildSettlements, rangeOf, type SettlementsVariant } from "../../src/resources/settlements/build.ts";
import { bindingText } from "../../src/resources/settlements/live-read.ts";
import { savedForm } from "../../src/resources/settlements/saved-form.ts";
import { windowOf } from "../../src/resources/settlements/window.ts";
import { buildLegacySettlements } from "../../src/resources/settlements-legacy/build.ts";
import type { Publication } from "../answers/publication.ts";
import type { Sources } from "../sources/sources.ts";
import { chainHeight, chainNews, HISTORY_HEIGHT_INTERVAL } from "./chain-inputs.ts";

const VARIANTS: readonly SettlementsVariant[] = [...SETTLEMENT_RANGES, "queue"];

export const settlementsPublications: readonly Publication[] = VARIANTS.map((variant) => ({
  resource: "settlements",
  ...historyPublication(settlementsKey(variant), rangeOf(variant), "v4"),
  inputs: (sources) => (variant === "queue" ? `${newsOf(sources)} ${candidateText(sources)}` : newsOf(sources)),
  build: (sources, at) =>
    buildSettlements(variant, sources, variant === "queue" ? queueCandidate(sources) : undefined, at),
}));

export const legacySettlementsPublications: readonly Publication[] = SETTLEMENT_RANGES.map((range) => ({
  resource: "settlements-legacy",
  ...historyPublication(legacySettlementsKey(range), range, "v3"),
  inputs: newsOf,
  build: (sources, at) => buildLegacySettlements(range, sources, at),
}));

function historyPublication(key: string, range: SettlementRange, version: "v3" | "v4") {
  return {
    key,
    minorInputs: ({ chain }: Sources) => chainHeight(chain),
    minorInterval: HISTORY_HEIGHT_INTERVAL,
    rebuildAt: (_: Sources, at: number) => windowOf(range, at)?.end,
    lacks: ({ installationId, chain: { binding }, projections }: Sources) =>
      binding !== undefined &&
      savedHistory(projections, key, bindingText(installationId, range, binding, version)) === undefined,
    stands: ({ installationId, chain, projections }: Sources, body: string) => {
      const { binding } = chain;
      const saved = binding === undefined ? undefined : savedForm(body, installationId, binding, version);
      if (saved === undefined || binding === undefined) return;
      saveHistory(projections, key, bindingText(installationId, range, binding, version), saved);
    },
  };
}

function newsOf({ chain, projections }: Sources): string {
  return `${chainNews(chain)} ${changesOf(projections, SETTLEMENTS_PROJECTION)}`;
}

function queueCandidate({ facts, installationId }: Sources): Submission | undefined {
  if (facts === undefined) return undefined;
  const installation = installationNo(facts.ledger, installationId);
  return installation === undefined ? undefined : readActiveSubmission(facts.ledger, installation);
}

function candidateText(sources: Sources): string {
  const candidate = queueCandidate(sources);
  if (candidate === undefined) return "";
  const { previousSettledThroughRound, settledThroughRound, activeRoundCount, expected } = candidate;
  const numbers = [previousSettledThroughRound, settledThroughRound, activeRoundCount];
  return [...numbers, expected.blockHeight, expected.completedBlockCount].join(" ");
}
