/** Ingests the demo's facts through the same interface as `noonmark ingest`: first the history, then live records. */
import type { Database } from "better-sqlite3";
import { type Ingested, ingest } from "../src/ledger/ingest.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
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
  expectAccepted(ingest(ledger, withProgress()));
  progress(1);
  return records;
}

/** Ingests the records that are due at `at` (epoch ms). */
export function feedLive(ledger: Database, wheel: Wheel, at: number): void {
  expectAccepted(ingest(ledger, wheel.nextLive(at)));
}

function expectAccepted({ rejected, rejections }: Ingested): void {
  if (rejected === 0) return;
  throw new Failure("demo_rejected", `intake rejected a record of the demo: ${JSON.stringify(rejections[0])}`, {
    exit: EXIT.failed,
    hint: "Start again from nothing: npm start -- --fresh",
  });
}
