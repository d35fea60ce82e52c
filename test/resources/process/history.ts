/**
 * A history as plain records, and its direct insertion into the ledger's tables, without intake. Covers only what the
 * process snapshot reads. Rounds and work are bigint, instants epoch ms.
 */
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { SafeCoreState } from "../../../src/chain/chain-state.ts";
import type { RunResult } from "../../../src/ledger/read/reporter-runs.ts";
import type { Submission } from "../../../src/ledger/read/submissions.ts";
import { LEDGER_SCHEMA, paddedRound } from "../../../src/ledger/schema.ts";

export const INSTALLATION = "wheel-1";

export type Fact =
  | {
      readonly type: "receipt";
      readonly counterEpoch: string;
      readonly observedAt: number;
      readonly receivedAt: number;
      readonly cumulativeWorkUnits: bigint;
      readonly coreStatus: "IDLE" | "ACTIVE" | "COUNTER_FAULT";
    }
  | { readonly type: "epoch"; readonly counterEpoch: string }
  | { readonly type: "round"; readonly roundId: bigint; readonly workUnits: bigint; readonly eligible: boolean }
  | { readonly type: "closure"; readonly firstRound: bigint; readonly lastRound: bigint; readonly acceptedAt: number }
  | { readonly type: "oracle"; readonly blockedReason: string | null; readonly at: number }
  | ({ readonly type: "submission" } & Submission)
  | {
      readonly type: "reporter_run";
      readonly startedAt: number;
      readonly finishedAt: number | null;
      readonly result: RunResult | null;
    }
  | {
      readonly type: "settlement_control";
      readonly settlementEnabled: boolean;
      readonly reporterEnvironmentEnabled: boolean;
      readonly blockedReason: string | null;
      readonly incidentOpen: boolean;
      readonly at: number;
    };

export type FactOf<Type extends Fact["type"]> = Extract<Fact, { type: Type }>;

/** An empty in-memory ledger with the installation as row 1. */
export function emptyLedger(): Database {
  const ledger = new SqliteDatabase(":memory:");
  ledger.exec(LEDGER_SCHEMA);
  ledger.prepare("INSERT INTO installation (no, id) VALUES (1, ?)").run(INSTALLATION);
  return ledger;
}

export function ledgerOf(facts: readonly Fact[]): Database {
  const ledger = emptyLedger();
  for (const fact of facts) accept(ledger, fact);
  return ledger;
}

/** Inserts what intake would write for an accepted record, as far as the process snapshot reads it. */
export function accept(ledger: Database, fact: Fact): void {
  const run = (sql: string, ...values: unknown[]) => ledger.prepare(sql).run(...values);
  switch (fact.type) {
    case "receipt": {
      const count = ledger.prepare("SELECT count(*) FROM receipt WHERE installation = 1").pluck().get() as number;
      const position = count + 1;
      run(
        "INSERT INTO receipt VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, 'simulated', '1.0.0', ?, 43000, 612, 1234567)",
        position,
        uuid(position),
        uuid(0xb007),
        fact.counterEpoch,
        position,
        fact.observedAt,
        fact.receivedAt,
        String(fact.cumulativeWorkUnits),
        fact.coreStatus,
      );
      run(
        `INSERT INTO counter_epoch VALUES (1, ?, ?, ?)
          ON CONFLICT DO UPDATE SET last_position = excluded.last_position`,
        fact.counterEpoch,
        position,
        position,
      );
      break;
    }
    case "epoch":
      run("INSERT OR IGNORE INTO epoch_approval VALUES (1, ?, 0)", fact.counterEpoch);
      break;
    case "round":
      run(
        `INSERT INTO round (installation, round_id, work_units, distance_mm, eligible, closed_at)
          VALUES (1, ?, ?, NULL, ?, 0)`,
        paddedRound(fact.roundId),
        String(fact.workUnits),
        fact.eligible ? 1 : 0,
      );
      break;
    case "closure":
      run(
        "INSERT INTO closure (installation, first_round, last_round, accepted_at) VALUES (1, ?, ?, ?)",
        paddedRound(fact.firstRound),
        paddedRound(fact.lastRound),
        fact.acceptedAt,
      );
      break;
    case "oracle":
      run("INSERT OR IGNORE INTO oracle_block VALUES (1, ?, ?)", fact.at, fact.blockedReason);
      break;
    case "submission":
      run(
        `INSERT OR REPLACE INTO submission VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
        fact.submissionId,
        fact.lifecycle,
        String(fact.previousSettledThroughRound),
        String(fact.settledThroughRound),
        fact.activeRoundCount,
        String(fact.expected.cumulativeWork),
        String(fact.expected.blockHeight),
        String(fact.expected.currentWork),
        String(fact.expected.completedBlockCount),
        fact.transactionHash,
        fact.preparedAt,
        fact.submittedAt,
        fact.terminalAt,
        fact.confirmedAt,
        fact.outcomeCode,
      );
      break;
    case "reporter_run":
      run("INSERT OR REPLACE INTO reporter_run VALUES (1, ?, ?, ?)", fact.startedAt, fact.finishedAt, fact.result);
      break;
    case "settlement_control":
      run(
        "INSERT OR IGNORE INTO settlement_control VALUES (1, ?, ?, ?, ?, ?)",
        fact.at,
        fact.settlementEnabled ? 1 : 0,
        fact.reporterEnvironmentEnabled ? 1 : 0,
        fact.blockedReason,
        fact.incidentOpen ? 1 : 0,
      );
  }
}

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** A consistent safe state of the Core. */
export function coreAt(settledThroughRound: bigint, cumulativeWork: bigint, workPerBlock: bigint): SafeCoreState {
  return {
    settledThroughRound,
    cumulativeWork,
    blockHeight: cumulativeWork / workPerBlock,
    currentWork: cumulativeWork % workPerBlock,
    workPerBlock,
    lastSettlement:
      settledThroughRound === 0n ? null : { confirmedAt: 1_795_168_800_000, transactionHash: `0x${"ab".repeat(32)}` },
  };
}
