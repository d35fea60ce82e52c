/** Ingests the demo's facts as `noonmark ingest` does: first the history, then live records. */
import type { Database } from "better-sqlite3";
import { Intake } from "../src/ledger/intake/intake.ts";
import type { Rejection } from "../src/ledger/intake/rejection.ts";
import { Failure } from "../src/values/failure.ts";
import type { DemoRecord } from "./history/plan.ts";
import type { Wheel } from "./history/wheel.ts";

/** Ingests records up to `end` (epoch ms) and returns their number. `progress` receives a fraction from 0 to 1. */
export function feedHistory(ledger: Database, wheel: Wheel, end: number, progress: (share: number) => void): number {
  const from = wheel.at;
  let records = 0;
  const withProgress = function* (): Generator<DemoRecord> {
    for (const record of wheel.history(end)) {
      if (++records % 5_000 === 0) progress((wheel.at - from) / (end - from));
      yield record;
    }
  };
  ingest(ledger, withProgress());
  progress(1);
  return records;
}

/** Ingests the records that are due at `at` (epoch ms). */
export function feedLive(ledger: Database, wheel: Wheel, at: number): void {
  ingest(ledger, wheel.nextLive(at));
}

function ingest(ledger: Database, records: Iterable<DemoRecord>): void {
  const rejections: Rejection[] = [];
  const intake = new Intake(ledger, { onRejected: (batch) => rejections.push(...batch) });
  for (const record of records) intake.write(Buffer.from(`${JSON.stringify(record)}\n`));
  intake.end();
  const [rejection] = rejections;
  if (rejection === undefined) return;
  throw new Failure("internal_error", `intake rejected a record of the demo: ${JSON.stringify(rejection)}`);
}
