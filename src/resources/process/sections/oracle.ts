/** docs/spec/api.md#process-oracle, `oracle`: how far closed rounds are accepted, and whether acceptance goes on. */
import { staleFrom } from "../../../values/freshness.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import type { ProcessFacts, ProcessTime } from "../facts.ts";
import type { Oracle } from "../schema.ts";

/** The newest acceptance is stale once it is older than this. */
const STALE_AFTER_MS = 1_200_000;

/** `time` in epoch ms; `changesAt` is the first instant after `at` at which time alone changes the state. */
export function oracleOf(facts: ProcessFacts["oracle"], time: ProcessTime): { oracle: Oracle; changesAt?: number } {
  const { accepted, blockedReason } = facts;
  if (accepted === undefined) {
    const oracle = { reason: "no_accepted_closure", latestAcceptedAt: null, latestClosure: null };
    return { oracle: { state: "unavailable", ...oracle } };
  }
  const { latestAt, newest } = accepted;
  const rest = {
    reason: blockedReason,
    latestAcceptedAt: formatTimestamp(latestAt),
    latestClosure: {
      firstRound: String(newest.firstRound),
      lastRound: String(newest.lastRound),
      roundCount: String(newest.lastRound - newest.firstRound + 1n),
      acceptedAt: formatTimestamp(newest.acceptedAt),
    },
  };
  if (blockedReason !== null) return { oracle: { state: "blocked", ...rest } };
  const changesAt = staleFrom(latestAt, STALE_AFTER_MS, time);
  if (changesAt === undefined) return { oracle: { state: "stale", ...rest } };
  return { oracle: { state: "accepted", ...rest }, changesAt };
}
