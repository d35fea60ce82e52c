/**
 * The statistics (docs/spec/api.md#statistics), one object a range. Each body names the instant for which it was computed, so that a
 * rebuild is always a change: it is done where facts moved, at most every `interval` ms, and at each end of a round,
 * noon among them. A receipt moves nothing here unless it is a new peak.
 */

import { FACT_KINDS } from "../../ledger/schema.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { lacksFacts } from "../../projections/advance.ts";
import { statisticsVersion } from "../../projections/statistics.ts";
import { slotAt, slotStart } from "../../values/slot.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildStatistics } from "./build.ts";
import { readStatisticsFacts } from "./read-facts.ts";
import { RANGES, statisticsKey } from "./route.ts";

const KINDS = FACT_KINDS.filter((kind) => kind !== "module");

/** `interval` is the setting statisticsInterval, in milliseconds. */
export function statisticsPublications(interval: number): readonly Publication[] {
  return RANGES.map((range) => ({
    resource: "statistics",
    key: statisticsKey(range),
    kinds: KINDS,
    inputs,
    build: ({ ledger, projections, installationId, genesisTimestamp }, at) => {
      const read =
        ledger && readStatisticsFacts(ledger, projections, { installationId, genesis: genesisTimestamp, range, at });
      return buildStatistics(read, range, at);
    },
    minimumInterval: interval,
    rebuildAt,
  }));
}

function inputs({ ledger, projections, installationId, genesisTimestamp }: Snapshot): string {
  if (ledger === undefined || installationRowId(ledger, installationId) === undefined) return "none";
  // Only the end of the catching up matters: receipts without a new peak leave the mark as it was.
  const state = lacksFacts(projections, { ledger, installationId, genesis: genesisTimestamp }) ? "behind" : "level";
  return `${genesisTimestamp} ${state} ${statisticsVersion(projections)}`;
}

/** The end of the round that holds `at`. */
function rebuildAt({ genesisTimestamp }: Snapshot, at: number): number | undefined {
  return genesisTimestamp === undefined ? undefined : slotStart(slotAt(at) + 1);
}
