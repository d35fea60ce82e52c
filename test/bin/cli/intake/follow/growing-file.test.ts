import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GrowingFile } from "../../../../../bin/cli/intake/follow/growing-file.ts";
import { emptyLedger, receipt } from "../../../../ledger/samples.ts";
import { testFolder } from "../../../../support/test-folder.ts";
import { intakesInto, sequences } from "./followed-in-memory.ts";

let directory: string;
let path: string;
let db: Database;
let reported: string[];
let file: GrowingFile;
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "facts.ndjson");
  db = emptyLedger();
  reported = [];
  file = new GrowingFile(path, intakesInto(db, reported));
});
afterEach(async () => {
  await file.close();
  db.close();
});

const line = (n: number) => `${JSON.stringify(receipt(n))}\n`;
const lines = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => line(first + index)).join("");
const poll = () => file.poll(() => false);

test("a file that appears late and grows is read in whole lines, each once", async () => {
  await poll();
  expect(file.counts).toEqual({ accepted: 0, duplicate: 0, rejected: 0 });
  writeFileSync(path, line(1) + line(2).slice(0, 40));
  await poll();
  expect(sequences(db)).toEqual([1]);
  appendFileSync(path, line(2).slice(40, -1));
  await poll();
  expect(sequences(db)).toEqual([1]);
  appendFileSync(path, `\n${line(3)}`);
  await poll();
  await poll();
  expect(sequences(db)).toEqual([1, 2, 3]);
  expect(file.counts).toEqual({ accepted: 3, duplicate: 0, rejected: 0 });
});

test("a renamed file is read to its end before the new file is read from its start", async () => {
  writeFileSync(path, line(1));
  await poll();
  renameSync(path, `${path}.1`);
  await poll();
  // The writer still has the old file open.
  appendFileSync(`${path}.1`, line(2));
  await poll();
  expect(sequences(db)).toEqual([1, 2]);
  appendFileSync(`${path}.1`, line(3).trimEnd());
  writeFileSync(path, `${line(4)}nonsense\n`);
  await poll();
  expect(sequences(db)).toEqual([1, 2, 3, 4]);
  expect(reported).toEqual(["-:2 malformed_json"]);
  appendFileSync(path, line(5));
  await poll();
  expect(file.counts).toEqual({ accepted: 5, duplicate: 0, rejected: 1 });
});

test("a truncated file is read from its start, and known lines count as duplicates", async () => {
  writeFileSync(path, lines(1, 3));
  await poll();
  truncateSync(path, 0);
  await poll();
  appendFileSync(path, line(4));
  await poll();
  expect(sequences(db)).toEqual([1, 2, 3, 4]);
  appendFileSync(path, lines(5, 6));
  await poll();
  writeFileSync(path, line(6));
  await poll();
  expect(sequences(db)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(file.counts).toEqual({ accepted: 6, duplicate: 1, rejected: 0 });
});

test("a stop during any read commits the lines so far, and the next run completes the file", async () => {
  writeFileSync(path, lines(1, 2000) + line(2001).trimEnd());
  for (const reads of [1, 2]) {
    let checks = 0;
    const one = new GrowingFile(path, intakesInto(db, reported));
    await one.poll(() => ++checks > reads);
    await one.close();
    expect(db.inTransaction).toBe(false);
    const taken = sequences(db).length;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(2001);
    expect(one.counts.accepted + one.counts.duplicate).toBe(taken);
  }
  await poll();
  expect(sequences(db)).toHaveLength(2000);
  appendFileSync(path, "\n");
  await poll();
  expect(sequences(db)).toHaveLength(2001);
  expect(reported).toEqual([]);
});

test("a directory in place of the file is an error", async () => {
  const broken = new GrowingFile(directory, intakesInto(db, reported));
  const failure = { code: "file_unreadable", exitCode: 74 };
  await expect(broken.poll(() => false)).rejects.toMatchObject(failure);
});
