import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Spool } from "../../../../../bin/cli/intake/follow/spool.ts";
import { emptyLedger, receipt } from "../../../../ledger/samples.ts";
import { intakesInto, sequences } from "./followed-in-memory.ts";

let directory: string;
let db: Database;
let told: string[];
let spool: Spool;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "noonmark-spool-"));
  db = emptyLedger();
  told = [];
  spool = new Spool(directory, intakesInto(db, told));
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const line = (n: number) => `${JSON.stringify(receipt(n))}\n`;
const put = (name: string, text: string) => writeFileSync(join(directory, name), text);
const listed = (name = "") => readdirSync(join(directory, name)).sort();
const poll = () => spool.poll(() => false);

test("finished files in the order of their names, then in done/; all else is left", async () => {
  put("0002.ndjson", line(2));
  put("0010.ndjson", line(3).trimEnd());
  put("0001.ndjson", line(1));
  const others = [".0003.ndjson", "0004.ndjson.tmp", "0005.part", "notes.txt"];
  for (const other of others) put(other, line(9));
  mkdirSync(join(directory, "folder.ndjson"));
  await poll();
  expect(sequences(db)).toEqual([1, 2, 3]);
  expect(listed()).toEqual([...others, "done", "folder.ndjson"].sort());
  expect(listed("done")).toEqual(["0001.ndjson", "0002.ndjson", "0010.ndjson"]);
  renameSync(join(directory, "0004.ndjson.tmp"), join(directory, "0004.ndjson"));
  await poll();
  expect(spool.counts).toEqual({ accepted: 4, duplicate: 0, rejected: 0 });
});

test("a name that was there before overwrites nothing in done/", async () => {
  for (const n of [1, 2, 3]) {
    put("a.ndjson", line(n));
    await poll();
  }
  expect(listed("done")).toEqual(["a.ndjson", "a.ndjson.2", "a.ndjson.3"]);
  expect(readFileSync(join(directory, "done", "a.ndjson.2"), "utf8")).toBe(line(2));
});

test("a rejection names its file and the line in it, and stops nothing", async () => {
  put("a.ndjson", `${line(1)}nonsense\n`);
  put("b.ndjson", `{}\n${line(2)}`);
  await poll();
  expect(told).toEqual(["a.ndjson:2 malformed_json", "b.ndjson:1 unknown_type"]);
  expect(spool.counts).toEqual({ accepted: 2, duplicate: 0, rejected: 2 });
});

test("stopped in the middle of a file: it stays, and is completed by the next run", async () => {
  put("a.ndjson", Array.from({ length: 2000 }, (_, index) => line(index + 1)).join(""));
  put("b.ndjson", line(2001));
  let asked = 0;
  await spool.poll(() => ++asked > 2);
  expect(listed()).toEqual(["a.ndjson", "b.ndjson", "done"]);
  const { length } = sequences(db);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(2000);
  expect(db.inTransaction).toBe(false);
  await new Spool(directory, intakesInto(db, told)).poll(() => false);
  expect(sequences(db)).toHaveLength(2001);
  expect(listed("done")).toEqual(["a.ndjson", "b.ndjson"]);
});

test("where nothing can be moved aside it says so, and keeps the file", async () => {
  put("done", "a file");
  put("a.ndjson", line(1));
  await expect(poll()).rejects.toMatchObject({ code: "spool_unwritable", exitCode: 74 });
  expect(listed()).toEqual(["a.ndjson", "done"]);
});
