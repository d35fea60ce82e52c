import type { Database } from "better-sqlite3";
import { expect } from "vitest";
import { type Json, verdicts } from "../../samples.ts";

/** Ingests the records in order; each must get the verdict next to it. */
export function expectVerdicts(db: Database, expected: readonly (readonly [record: Json, verdict: string])[]): void {
  const records = expected.map(([record]) => record);
  expect(verdicts(db, ...records)).toEqual(expected.map(([, verdict]) => verdict));
}
