/**
 * The publisher's own file of what is derived from the ledger and the chain. Nothing in it is a fact: it may be wiped,
 * and is made anew from what it was derived from.
 */
import type { Database } from "better-sqlite3";
import type { DatabaseKind } from "../sqlite/open.ts";
import { CHAIN_VIEW_TABLES } from "./chain-views.ts";
import { FOLLOWED_TABLES } from "./followed.ts";
import { WAITING_TABLE } from "./rounds/follow-closures.ts";
import { INTERVAL_TABLE } from "./rounds/intervals.ts";
import { ROUND_TOTALS_TABLE } from "./rounds/round-totals.ts";
import { DAY_TABLE } from "./rounds/rounds-day.ts";
import { SUBMISSION_TABLES } from "./settlements/submissions.ts";
import { PEAK_TABLE } from "./statistics/peaks.ts";

export const PROJECTIONS: DatabaseKind = {
  name: "projections",
  applicationId: 0x4e4f4f50, // "NOOP"
  schemaVersion: 6,
  schema: [
    FOLLOWED_TABLES,
    DAY_TABLE,
    INTERVAL_TABLE,
    ROUND_TOTALS_TABLE,
    WAITING_TABLE,
    PEAK_TABLE,
    SUBMISSION_TABLES,
    CHAIN_VIEW_TABLES,
  ].join("\n"),
};

/** What comes from closures and rounds: it hangs on genesis and on the clock as well as on the ledger. */
const ROUND_TABLES = ["day_rounds", "active_interval", "round_totals", "waiting_round"];

/** What comes from the ledger. */
export const LEDGER_TABLES = [
  ...ROUND_TABLES,
  "peak",
  "submission_state",
  "submission_totals",
  "followed",
  "followed_point",
  "followed_pass",
];

/** Forgets every round and closure, so that they are followed from the first one on. */
export function forgetRounds(projections: Database): void {
  forget(projections, ROUND_TABLES);
}

/** Forgets everything that came from the ledger. */
export function forgetLedger(projections: Database): void {
  forget(projections, LEDGER_TABLES);
}

function forget(projections: Database, tables: readonly string[]): void {
  for (const table of tables) projections.exec(`DELETE FROM ${table}`);
  projections.exec("UPDATE followed_closures SET genesis = NULL, closure_seq = 0, closure = NULL, next_round = NULL");
}
