/** Copies of a ledger that is in use. None takes back what was published, and the facts that it lacks may come again. */
import { appendFileSync, copyFileSync, writeFileSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { expect, it } from "vitest";
import { type Json, receipts } from "../ledger/samples.ts";
import { stop, until } from "../support/processes.ts";
import { Scene } from "./scene.ts";

const lines = (records: readonly Json[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const LAST = 300;

/** Everything that is computed from facts, with the log. */
async function tags(scene: Scene): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const prefix of ["private/log/", "v1/public/installations/~", "v1/public/telemetry"])
    for (const key of await scene.keys(prefix)) found[key] = (await scene.object(key)).tag;
  return found;
}

/** A copy as a backup makes it. */
function vacuum(scene: Scene, from: string, to: string): void {
  const db = new SqliteDatabase(scene.file(from), { readonly: true });
  db.prepare("VACUUM INTO ?").run(scene.file(to));
  db.close();
}

function receiptsIn(scene: Scene, ledger: string): number {
  const db = new SqliteDatabase(scene.file(ledger), { readonly: true });
  const count = db.prepare("SELECT count(*) FROM receipt").pluck().get() as number;
  db.close();
  return count;
}

it("copies made while intake writes are behind, and continue once they have the missing facts", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 50));
  const source = scene.file("source.ndjson");
  writeFileSync(source, "");
  const intake = scene.start("ingest", "--follow", "source.ndjson");
  try {
    appendFileSync(source, lines(receipts(51, 150)));
    await until("intake has begun to write", async () => receiptsIn(scene, "ledger.db") > 50);
    appendFileSync(source, lines(receipts(151, 250)));
    vacuum(scene, "ledger.db", "backup.db");
    // The newest facts are in the other file of the database.
    copyFileSync(scene.file("ledger.db"), scene.file("raw.db"));
    appendFileSync(source, lines(receipts(251, LAST)));
    await until("intake has written everything", async () => receiptsIn(scene, "ledger.db") === LAST);
  } finally {
    await stop(intake, "SIGTERM");
  }
  await scene.published(905);
  const before = await tags(scene);
  for (const [copy, at] of [
    ["backup.db", 910],
    ["raw.db", 930],
  ] as const) {
    const { exitCode, stderr } = await scene.publish(at, "--ledger", copy);
    const says = `noonmark: ledger_behind: the log was published with ${LAST} entries, and the ledger has `;
    expect([copy, exitCode, stderr]).toEqual([copy, 1, expect.stringContaining(says)]);
    // All lines again: those that the copy has are duplicates.
    await scene.ingest(receipts(1, LAST), copy);
    await scene.published(at + 10, "--ledger", copy);
    expect(await tags(scene)).toEqual(before);
  }
});
