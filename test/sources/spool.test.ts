import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Spool } from "../../src/sources/spool.ts";
import { emptyLedger, receipt } from "../ledger/samples.ts";
import { testFolder } from "../support/test-folder.ts";
import { intakesInto, sequences } from "./followed-in-memory.ts";

let directory: string;
let db: Database;
let reported: string[];
let refused: string[];
let spool: Spool;
beforeEach(() => {
  directory = testFolder();
  db = emptyLedger();
  reported = [];
  refused = [];
  spool = new Spool(directory, intakesInto(db, reported), (message) => refused.push(message));
});
afterEach(() => {
  db.close();
});

const line = (n: number) => `${JSON.stringify(receipt(n))}\n`;
const put = (name: string, text: string) => writeFileSync(join(directory, name), text);
const listed = (name = "") => readdirSync(join(directory, name)).sort();
const poll = () => spool.poll(() => false);

test("finished files are ingested in name order and moved to done/, and other files stay", async () => {
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

test("a file whose name was used before does not overwrite the one in done/", async () => {
  for (const n of [1, 2, 3]) {
    put("a.ndjson", line(n));
    await poll();
  }
  expect(listed("done")).toEqual(["a.ndjson", "a.ndjson.2", "a.ndjson.3"]);
  expect(readFileSync(join(directory, "done", "a.ndjson.2"), "utf8")).toBe(line(2));
});

test("a file stays if its intake was stopped, and the next run completes it", async () => {
  put("a.ndjson", Array.from({ length: 2000 }, (_, index) => line(index + 1)).join(""));
  put("b.ndjson", line(2001));
  let checks = 0;
  await spool.poll(() => ++checks > 2);
  expect(listed()).toEqual(["a.ndjson", "b.ndjson", "done"]);
  const { length } = sequences(db);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(2000);
  expect(db.inTransaction).toBe(false);
  await new Spool(directory, intakesInto(db, reported), () => undefined).poll(() => false);
  expect(sequences(db)).toHaveLength(2001);
  expect(listed("done")).toEqual(["a.ndjson", "b.ndjson"]);
});

test("links, pipes and unreadable files are set aside with one message each, and the next file is read", async () => {
  const secret = join(directory, "secret.txt");
  put("secret.txt", "a secret line\n");
  symlinkSync(secret, join(directory, "1.ndjson"));
  symlinkSync("2.ndjson", join(directory, "2.ndjson"));
  symlinkSync(tmpdir(), join(directory, "3.ndjson"));
  symlinkSync("nowhere", join(directory, "4.ndjson"));
  symlinkSync("/dev/zero", join(directory, "5.ndjson"));
  execFileSync("mkfifo", [join(directory, "6.ndjson")]);
  put("7.ndjson", line(1));
  await poll();
  await poll();
  expect(sequences(db)).toEqual([1]);
  expect(reported).toEqual([]);
  expect(listed()).toEqual(["done", "refused", "secret.txt"]);
  expect(listed("refused")).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${n}.ndjson`));
  const moved = (n: number, what: string) =>
    `${n}.ndjson is ${what}: only regular files are read. It was moved to ${join(directory, "refused", `${n}.ndjson`)}`;
  expect(refused).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => moved(n, "a symbolic link")),
    moved(6, "a pipe, a socket or a device"),
  ]);
  expect(readFileSync(secret, "utf8")).toBe("a secret line\n");
});

test.skipIf(process.getuid?.() === 0)("an unreadable file is set aside", async () => {
  put("a.ndjson", line(1));
  chmodSync(join(directory, "a.ndjson"), 0);
  put("b.ndjson", line(2));
  await poll();
  expect(sequences(db)).toEqual([2]);
  expect(refused).toEqual([expect.stringMatching(/^a\.ndjson cannot be read: EACCES.* It was moved to /)]);
});

test.each([
  ["a file", () => put("done", "mine")],
  ["a link to nowhere", () => symlinkSync(join(directory, "nowhere"), join(directory, "done"))],
  ["a link to another directory", () => symlinkSync(tmpdir(), join(directory, "done"))],
])("%s in the place of done/ is moved aside, and intake goes on", async (_, plant) => {
  plant();
  put("a.ndjson", line(1));
  await poll();
  expect(sequences(db)).toEqual([1]);
  expect(listed("done")).toEqual(["a.ndjson"]);
  expect(listed()).toEqual(["done", "done.moved"]);
  expect(refused).toEqual([
    expect.stringMatching(/done is (?:a file|a symbolic link)\. It was moved to .*done\.moved$/),
  ]);
});

test("through a link in the place of done/ nothing outside the spool is deleted", async () => {
  const outside = testFolder();
  writeFileSync(join(outside, "a.ndjson.rejects"), "precious");
  symlinkSync(outside, join(directory, "done"));
  put("a.ndjson", `${line(1)}nonsense\n`);
  await poll();
  expect(readFileSync(join(outside, "a.ndjson.rejects"), "utf8")).toBe("precious");
  expect(listed("done")).toEqual(["a.ndjson"]);
});

test("a file with a name of 255 bytes is ingested, and the next one too", async () => {
  const long = `${"a".repeat(248)}.ndjson`;
  put(long, line(1));
  put("b.ndjson", line(2));
  await poll();
  expect(sequences(db)).toEqual([1, 2]);
  expect(listed()).toEqual(["done"]);
  const hashed = `${createHash("sha256").update(long).digest("hex")}.ndjson`;
  expect(listed("done")).toEqual([hashed, "b.ndjson"].sort());
});

test("a file whose name is not UTF-8 is refused with a warning", async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff]), Buffer.from(".ndjson")]), line(1));
  put("b.ndjson", line(2));
  await poll();
  await poll();
  expect(sequences(db)).toEqual([2]);
  expect(listed("refused")).toHaveLength(1);
  expect(refused).toEqual([expect.stringContaining("has a name that is not UTF-8. It was moved to ")]);
});
