/**
 * A publisher over a large ledger and a store that keeps nothing and responds at once. Only the publisher's own work is
 * measured.
 */

import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { Known } from "../../../../publish/known.ts";
import type { Publisher } from "../../../../publish/publisher.ts";
import { LedgerSource } from "../../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../../publish/sources/source-reader.ts";
import { noChain } from "../../../../src/chain/chain.ts";
import { raiseWatermark } from "../../../support/raise-watermark.ts";
import { LEDGER_END, LEDGER_GENESIS } from "../large-ledger.ts";
import { forgetfulStore } from "../stores/forgetful-store.ts";
import { benchPublisher } from "./bench-publisher.ts";

export interface Subject {
  readonly receipts: number;
  readonly publisher: Publisher;
  readonly writer: Database;
  readonly puts: string[];
  readonly cycles: number[];
  readonly idle: number[];
  readonly at: number;
  close(): void;
}

/** `folder` holds the ledger (`ledger.db`) and will hold the publisher's state. */
export async function openSubject(folder: string, receipts: number): Promise<Subject> {
  const known = Known.open(folder);
  const path = join(folder, "ledger.db");
  const clock = { wall: () => LEDGER_END, monotonic: () => 0 };
  const puts: string[] = [];
  const store = forgetfulStore(puts);
  // Mark the tiles as published; they are not measured.
  known.tiles.rememberProgress("wheel-1", { log: 1, position: receipts, tag: null, point: null });
  const reader = new SourceReader({
    installationId: "wheel-1",
    ledger: new LedgerSource(path),
    projections: ownProjections(folder, { whole: true }),
    chain: noChain(),
    genesisTimestamp: Number(LEDGER_GENESIS),
  });
  const publisher = await benchPublisher({ store, clock, known, reader });
  const writer = new SqliteDatabase(path);
  const close = () => {
    writer.close();
    reader.close();
    known.close();
  };
  const subject = { receipts, publisher, writer, puts, cycles: [], idle: [], at: LEDGER_END, close };
  await publisher.cycle(subject.at);
  return subject;
}

export async function measure(subject: Subject): Promise<void> {
  const { publisher, writer, cycles, idle } = subject;
  // All cycles use one instant, so that no round ends and no measurement turns stale.
  const at = subject.at;
  const idleStarted = performance.now();
  if (!publisher.isIdle(at)) throw new Error("not idle");
  idle.push(performance.now() - idleStarted);
  writer.exec(`INSERT INTO receipt SELECT installation, position + 1, printf('00000000-0000-4000-9000-%012x', position + 1), boot_id, counter_epoch,
      sequence + 1, observed_at, received_at, CAST(CAST(cumulative_work_units AS INTEGER) + 1 AS TEXT), provenance, software_version, core_status,
      rpm_milli, speed_mm_per_second, distance_mm
    FROM receipt WHERE installation = 1 ORDER BY position DESC LIMIT 1`);
  raiseWatermark(writer, 1, "receipt", 1);
  const started = performance.now();
  await publisher.cycle(at);
  cycles.push(performance.now() - started);
}
