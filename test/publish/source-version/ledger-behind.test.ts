/** Nothing goes back if the ledger is older or another one (docs/spec/publishing.md#source-version). */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CycleReport } from "../../../publish/report.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { ingest } from "../../ledger/ingest.ts";
import { module, receipts } from "../../ledger/samples.ts";
import { START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const KEYS = ["v1/public/telemetry", "v1/public/modules", "v4/public/process"];

const backup = () => join(world.folder, "backup.db");
const takeBackup = () => world.ledger.prepare("VACUUM INTO ?").run(backup());

/** Restores with SQLite's backup API onto the ledger's file while it is open. */
async function restoreInPlace(): Promise<void> {
  const from = new SqliteDatabase(backup());
  await from.backup(world.ledgerPath);
  from.close();
}

function replaceByRename(): void {
  world.ledger.close();
  const copy = join(world.folder, "copy.db");
  copyFileSync(backup(), copy);
  for (const suffix of ["-wal", "-shm"]) rmSync(world.ledgerPath + suffix, { force: true });
  renameSync(copy, world.ledgerPath);
  Object.assign(world, { ledger: openLedgerForIntake(world.ledgerPath) });
}

const bodies = () =>
  Promise.all(
    KEYS.map(async (key) => new TextDecoder().decode((await world.store.get(key))?.body ?? new Uint8Array())),
  );
const codes = ({ failures }: CycleReport) => failures.map(({ code }) => code);
const put = ({ rows }: CycleReport) => rows.filter(({ action }) => action !== "unchanged").map(({ key }) => key);

test("a publisher whose ledger is restored in place puts nothing, reports it, and continues once the ledger has caught up", async () => {
  ingest(world.ledger, receipts(1, 100));
  takeBackup();
  ingest(world.ledger, receipts(101, 150));
  const worker = await world.work();
  await worker.cycle(START + 500_000);
  const before = await bodies();
  await restoreInPlace();
  expect(worker.publisher.isIdle(START + 501_000)).toBe(false);
  for (const at of [501_000, 502_000]) {
    const report = await worker.cycle(START + at);
    expect([codes(report), put(report)]).toEqual([["ledger_behind"], []]);
  }
  expect(await bodies()).toEqual(before);
  ingest(world.ledger, receipts(101, 151));
  const report = await worker.cycle(START + 503_000);
  expect(codes(report)).toEqual([]);
  expect(put(report)).toContain("v1/public/telemetry");
});

test("a ledger that was rolled back with the state and then got other facts is a fork at any length", async () => {
  ingest(world.ledger, receipts(1, 10));
  takeBackup();
  ingest(world.ledger, [module({ observedAt: "2026-11-20T10:00:00.000Z", state: "faulted" })]);
  const worker = await world.work();
  await worker.cycle(START + 100_000);
  await worker.stop();
  const before = await bodies();
  replaceByRename();
  ingest(world.ledger, [module({ observedAt: "2026-11-20T10:00:00.000Z" })]);
  ingest(world.ledger, [module({ observedAt: "2026-11-20T10:02:00.000Z" })]);
  const again = await world.work({ state: "rolled back" });
  const report = await again.cycle(START + 101_000);
  expect(codes(report)).toEqual(["ledger_forked"]);
  expect(await bodies()).toEqual(before);
  await again.stop();
});
