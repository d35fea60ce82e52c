/** docs/spec/api.md#statistics, rounds: how the window's rounds were, one by one. */

import type { Statistics } from "../schema.ts";
import { textOrNull } from "./build-activity.ts";
import type { WindowDay } from "./build-days.ts";
import { ascendingOf, bps, meanMilli, median, nearestRank } from "./quotients.ts";

export function roundsOf(days: readonly WindowDay[]): Statistics["rounds"] {
  const active: bigint[] = [];
  let total = 0n;
  let observed = 0;
  let expected = 0;
  for (const day of days) {
    expected += day.expected;
    observed += day.facts?.observed ?? 0;
    total += day.facts?.work ?? 0n;
    for (const work of day.facts?.rounds ?? []) if (work !== undefined && work > 0n) active.push(work);
  }
  const ascending = ascendingOf(active);
  return {
    observedCount: observed,
    activeCount: active.length,
    zeroWorkCount: observed - active.length,
    missingCount: expected - observed,
    activeRateBps: bps(active.length, observed),
    averageActiveWorkMilli: textOrNull(meanMilli(total, active.length)),
    medianActiveWork: textOrNull(median(ascending)),
    p90ActiveWork: textOrNull(nearestRank(ascending, 90)),
    mostActiveWork: textOrNull(nearestRank(ascending, 100)),
  };
}
