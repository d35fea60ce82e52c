/** A standby follows only a ledger that contains the published log (docs/spec/publishing.md#source-version). */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readHead } from "../../publish/head/head.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { ingest } from "../ledger/ingest.ts";
import { type Json, receipt, receipts } from "../ledger/samples.ts";
import { type Opened, START, type Worker, World } from "./world.ts";

let world: World;
let holder: Worker;
beforeEach(async () => {
  world = new World();
  ingest(world.ledger, receipts(1, 10));
  holder = await world.work();
  await holder.cycle(START + 60_000);
});
afterEach(() => world.end());

const replica = () => join(world.folder, "replica.db");
function fill(records: readonly Json[]): void {
  const ledger = openLedgerForIntake(replica());
  ingest(ledger, records);
  ledger.close();
}

/** Receipts in the derived data. */
function followed(): number {
  const projections = new SqliteDatabase(join(world.folder, "standby", "projections.db"), { readonly: true });
  const size = projections.prepare("SELECT position FROM cursor WHERE name = 'receipts'").pluck().get();
  projections.close();
  return Number(size ?? 0);
}

/** Waits until the next check is due, and lets it run. */
async function next({ standby: sources }: Opened): Promise<string | undefined> {
  world.now += 10_000;
  await sources.followIfDue((await readHead(world.store))?.head);
  return sources.ledger?.failure?.code;
}

const open = () => world.open({ state: "standby", ledgerPath: replica() });

test("a standby with a shorter log waits for the missing facts, and then follows its ledger", async () => {
  fill(receipts(1, 9));
  const opened = open();
  expect([await next(opened), opened.standby.ledger?.status, followed()]).toEqual(["ledger_behind", "behind", 0]);
  fill(receipts(10, 10));
  expect([await next(opened), opened.standby.ledger?.status, followed()]).toEqual([undefined, "followed", 10]);
  // The holder goes on, and the standby's facts come later.
  ingest(world.ledger, receipts(11, 12));
  await holder.cycle(world.now);
  fill(receipts(11, 11));
  expect([await next(opened), followed()]).toEqual(["ledger_behind", 10]);
  fill(receipts(12, 12));
  expect([await next(opened), followed()]).toEqual([undefined, 12]);
});

test("a standby with a longer log follows its ledger", async () => {
  fill(receipts(1, 15));
  const opened = open();
  const before = world.store.gets.length;
  expect([await next(opened), followed()]).toEqual([undefined, 15]);
  expect(world.store.gets.length - before).toBeLessThanOrEqual(2);
  // The next check is not due.
  await opened.standby.followIfDue((await readHead(world.store))?.head);
  expect(world.store.gets.length - before).toBeLessThanOrEqual(2);
});

test("a standby with a forked log never follows its ledger, however many facts arrive", async () => {
  fill([...receipts(1, 9), receipt(10, { softwareVersion: "2.0.0" })]);
  const opened = open();
  for (const last of [11, 12]) {
    expect([await next(opened), opened.standby.ledger?.status, followed()]).toEqual(["ledger_forked", "behind", 0]);
    fill(receipts(last, last));
  }
});
