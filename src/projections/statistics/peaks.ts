/** The highest RPM and speed of every receipt (docs/spec/api.md#statistics-lifetime). */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { Databases } from "../databases.ts";

export const PEAK_TABLE = `
CREATE TABLE peak (
  installation INTEGER NOT NULL,
  -- a receipt's column: rpm_milli or speed_mm_per_second
  kind TEXT NOT NULL,
  value INTEGER NOT NULL,
  observed_at INTEGER NOT NULL,
  PRIMARY KEY (installation, kind)
) STRICT, WITHOUT ROWID;
`;

export const PEAK_KINDS = ["rpm_milli", "speed_mm_per_second"] as const;
export type PeakKind = (typeof PEAK_KINDS)[number];

export interface Peak {
  /** milli-RPM or mm/s, above zero. */
  readonly value: number;
  /** Epoch ms; of several receipts with this value the earliest. */
  readonly observedAt: number;
}

/** Takes in the receipts from one position to another, both included. */
export function raisePeaks({ ledger, projections }: Databases, installation: number, from: number, to: number): void {
  for (const kind of PEAK_KINDS) {
    const sql = `SELECT ${kind} AS value, observed_at AS observedAt FROM receipt
      WHERE installation = ? AND position BETWEEN ? AND ? ORDER BY ${kind} DESC, observed_at LIMIT 1`;
    const highest = statement<[number, number, number], Peak>(ledger, sql).get(installation, from, to);
    if (highest === undefined || highest.value === 0) continue;
    statement(
      projections,
      `INSERT INTO peak VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, observed_at = excluded.observed_at
       WHERE excluded.value > value OR (excluded.value = value AND excluded.observed_at < observed_at)`,
    ).run(installation, kind, highest.value, highest.observedAt);
  }
}

export function readPeak(projections: Database, installation: number, kind: PeakKind): Peak | undefined {
  const sql = "SELECT value, observed_at AS observedAt FROM peak WHERE installation = ? AND kind = ?";
  return statement<[number, string], Peak>(projections, sql).get(installation, kind);
}
