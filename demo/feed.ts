/** Facts for the demo's ledger, through the same interface as `noonmark ingest`: the history first, then the live device. */
import type { Database } from "better-sqlite3";
import { type Ingested, ingest } from "../src/ledger/ingest.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
import type { DemoRecord } from "./history/plan.ts";
import type { Wheel } from "./history/wheel.ts";

/** Brings the ledger up to `end` (epoch ms) and returns the number of records; `progress` gets a share from 0 to 1. */
export function feedHistory(ledger: Database, wheel: Wheel, end: number, progress: (share: number) => void): number {
  const from = wheel.at;
  let records = 0;
  const watched = function* (): Generator<DemoRecord> {
    for (const record of wheel.history(end)) {
      if (++records % 5_000 === 0) progress((wheel.at - from) / (end - from));
      yield record;
    }
  };
  expectAccepted(ingest(ledger, watched()));
  progress(1);
  return records;
}

/** The records due at an instant (epoch ms). */
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
