/**
 * Where policy v1 stands after a receipt: totals of the lifetime, of each counter epoch and of each noon-to-noon day,
 * and the speeds. Rows are read when they are first asked for and written back when a step is done.
 */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import { STREAK_DAY_MM } from "./milestone-policy.ts";

export const MILESTONE_TABLES = `
-- one row: whose receipts have been followed, up to which, and what they come to
CREATE TABLE milestone_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  installation_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  telemetry_id TEXT NOT NULL,
  lifetime_mm TEXT NOT NULL,
  fastest INTEGER NOT NULL,
  -- the speed of the last record event or of the base; 0 before the first positive speed
  last_record INTEGER NOT NULL
) STRICT;

CREATE TABLE milestone_epoch (
  counter_epoch TEXT PRIMARY KEY,
  distance_mm INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE milestone_day (
  day INTEGER PRIMARY KEY,
  distance_mm TEXT NOT NULL
) STRICT;
`;

export const MILESTONE_STATE_TABLES = ["milestone_state", "milestone_epoch", "milestone_day"];

export interface Followed {
  readonly installationId: string;
  readonly position: number;
  readonly telemetryId: string;
}

export class MilestoneState {
  lifetimeMm = 0n;
  fastest = 0;
  lastRecord = 0;
  readonly #projections: Database;
  readonly #epochs = new Map<string, number>();
  readonly #days = new Map<number, bigint>();

  constructor(projections: Database) {
    this.#projections = projections;
    const row = readRow(projections);
    if (row === undefined) return;
    this.lifetimeMm = BigInt(row.lifetimeMm);
    this.fastest = row.fastest;
    this.lastRecord = row.lastRecord;
  }

  /** The increase within the epoch; its first receipt counts its own value. */
  increase(epoch: string, distanceMm: number): bigint {
    const known = this.#epochs.get(epoch) ?? this.#storedEpoch(epoch);
    this.#epochs.set(epoch, distanceMm);
    return BigInt(distanceMm) - BigInt(known);
  }

  day(day: number): bigint {
    let total = this.#days.get(day);
    if (total === undefined) {
      const sql = "SELECT distance_mm FROM milestone_day WHERE day = ?";
      total = BigInt(
        (statement<[number], string>(this.#projections, sql).pluck().get(day) as string | undefined) ?? "0",
      );
      this.#days.set(day, total);
    }
    return total;
  }

  setDay(day: number, total: bigint): void {
    this.#days.set(day, total);
  }

  /** Consecutive days with a kilometre each, counted back from one that has it. */
  streak(day: number): number {
    let days = 0;
    while (this.day(day - days) >= STREAK_DAY_MM) days++;
    return days;
  }

  /** Writes everything that has changed. */
  save({ installationId, position, telemetryId }: Followed): void {
    const epoch = statement(this.#projections, "INSERT OR REPLACE INTO milestone_epoch VALUES (?, ?)");
    for (const entry of this.#epochs) epoch.run(...entry);
    const day = statement(this.#projections, "INSERT OR REPLACE INTO milestone_day VALUES (?, ?)");
    for (const [number, total] of this.#days) if (total > 0n) day.run(number, String(total));
    const state = statement(this.#projections, "INSERT OR REPLACE INTO milestone_state VALUES (1, ?, ?, ?, ?, ?, ?)");
    state.run(installationId, position, telemetryId, String(this.lifetimeMm), this.fastest, this.lastRecord);
  }

  #storedEpoch(epoch: string): number {
    const sql = "SELECT distance_mm FROM milestone_epoch WHERE counter_epoch = ?";
    return (statement<[string], number>(this.#projections, sql).pluck().get(epoch) as number | undefined) ?? 0;
  }
}

/** Whose receipts are in, and up to which; undefined before the first. */
export function followedReceipts(projections: Database): Followed | undefined {
  return readRow(projections);
}

export function forgetMilestoneState(projections: Database): void {
  for (const table of MILESTONE_STATE_TABLES) projections.exec(`DELETE FROM ${table}`);
}

function readRow(projections: Database) {
  type Row = Followed & { readonly lifetimeMm: string; readonly fastest: number; readonly lastRecord: number };
  return statement<[], Row>(
    projections,
    `SELECT installation_id AS installationId, position, telemetry_id AS telemetryId, lifetime_mm AS lifetimeMm,
      fastest, last_record AS lastRecord FROM milestone_state`,
  ).get();
}
