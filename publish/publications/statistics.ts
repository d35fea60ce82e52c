/**
 * read-api.md 4.5: the statistics, one object a range. Each body names the instant for which it was computed, so that a
 * rebuild is always a change: it is done where facts moved, at most every `interval` ms, and at each end of a round,
 * noon among them. A receipt moves nothing here unless it is a new peak.
 */
import { RANGES, statisticsKey } from "../../src/http/keys.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import { lacksFacts } from "../../src/projections/advance.ts";
import { statisticsMark } from "../../src/projections/statistics/statistics-mark.ts";
import { buildStatistics } from "../../src/resources/statistics/build.ts";
import { readStatisticsFacts } from "../../src/resources/statistics/read-facts.ts";
import { slotAt, slotStart } from "../../src/values/slot.ts";
import type { Publication } from "../answers/publication.ts";
import type { Sources } from "../sources/sources.ts";

/** `interval` is the setting statisticsInterval, in milliseconds. */
export function statisticsPublications(interval: number): readonly Publication[] {
  return RANGES.map((range) => ({
    resource: "statistics",
    key: statisticsKey(range),
    inputs,
    build: ({ facts, projections, installationId, genesisTimestamp }, at) => {
      const read =
        facts &&
        readStatisticsFacts(facts.ledger, projections, { installationId, genesis: genesisTimestamp, range, at });
      return buildStatistics(read, range, at);
    },
    minimumInterval: interval,
    rebuildAt,
  }));
}

function inputs({ facts, projections, installationId, genesisTimestamp }: Sources): string {
  const no = facts && installationNo(facts.ledger, installationId);
  if (facts === undefined || no === undefined) return "none";
  // Of the catching up only its end is news: receipts that raised no peak leave the mark as it was.
  const state = lacksFacts(facts.ledger, projections, no) ? "behind" : "level";
  return `${genesisTimestamp} ${state} ${statisticsMark(projections, no)}`;
}

/** The end of the round that holds `at`. */
function rebuildAt({ genesisTimestamp }: Sources, at: number): number | undefined {
  return genesisTimestamp === undefined ? undefined : slotStart(slotAt(at) + 1);
}
