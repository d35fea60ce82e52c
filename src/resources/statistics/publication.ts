/**
 * Publishes statistics (docs/spec/api.md#statistics), one object per range. A body contains its instant, so every
 * rebuild changes it. It is rebuilt when facts have changed, at most every `interval` ms, and at the end of each round.
 */

import { FACT_KINDS } from "../../ledger/schema.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { lacksFacts } from "../../projections/advance.ts";
import { readCursor } from "../../projections/follow.ts";
import { PEAK_KINDS, RECEIPTS, readPeak } from "../../projections/receipts.ts";
import { readRoundTotals } from "../../projections/rounds/round-totals.ts";
import { ROUNDS } from "../../projections/rounds/rounds.ts";
import { SUBMISSIONS } from "../../projections/settlements/submissions.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { slotAt, slotStart } from "../../values/slot.ts";
import { refuseContradictedGenesis } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildStatistics } from "./build.ts";
import { readStatisticsFacts } from "./facts.ts";
import { RANGES, statisticsKey } from "./route.ts";

const KINDS = FACT_KINDS.filter((kind) => kind !== "module");

/** `interval`: at least so many ms between two bodies. */
export function statisticsPublications(interval: number): readonly Publication[] {
  return RANGES.map((range) => ({
    resource: "statistics",
    key: statisticsKey(range),
    sources: { kinds: KINDS, parts: [RECEIPTS, SUBMISSIONS, ROUNDS] },
    inputs,
    build: (snapshot, at) => {
      refuseContradictedGenesis(snapshot);
      const { ledger, projections, installationId, genesisTimestamp } = snapshot;
      const read =
        ledger && readStatisticsFacts(ledger, projections, { installationId, genesis: genesisTimestamp, range, at });
      return buildStatistics(read, range, at);
    },
    timing: { minimumInterval: interval, rebuildAt },
  }));
}

function inputs({ ledger, projections, installationId, genesisTimestamp }: Snapshot): string {
  if (ledger === undefined || installationRowId(ledger, installationId) === undefined) return "none";
  // The cursor is not an input, because it advances with each receipt.
  const state = lacksFacts(projections, { ledger, installationId, genesis: genesisTimestamp }) ? "behind" : "level";
  return `${genesisTimestamp} ${state} ${statisticsVersion(projections)}`;
}

/**
 * Returns a text that changes if a body changes. Rounds are only added, so their count and sums suffice; submissions
 * have their newest change. Receipts count only if they are a new peak: otherwise each would rebuild the same body.
 */
function statisticsVersion(projections: ReadOnlyDatabase): string {
  const totals = readRoundTotals(projections);
  const rounds = readCursor(projections, ROUNDS);
  const parts = [
    rounds?.version,
    // After a rebuild, the first closures count before any of their rounds is observed.
    totals === undefined ? rounds?.at : "",
    totals?.observed,
    totals?.work,
    totals?.distance,
    totals?.firstSlot,
    totals?.lastSlot,
    readCursor(projections, SUBMISSIONS)?.at,
    ...PEAK_KINDS.map((kind) => Object.values(readPeak(projections, kind) ?? {}).join("@")),
  ];
  return parts.join("|");
}

/** Returns the end of the round that contains `at`. */
function rebuildAt({ genesisTimestamp }: Snapshot, at: number): number | undefined {
  return genesisTimestamp === undefined ? undefined : slotStart(slotAt(at) + 1);
}
