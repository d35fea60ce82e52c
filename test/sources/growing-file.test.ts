import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  renameSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Intake } from "../../src/ledger/intake/intake.ts";
import { GrowingFile } from "../../src/sources/growing-file.ts";
import { emptyLedger, receipt } from "../ledger/samples.ts";
import { Random, seeds } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { intakesInto, sequences } from "./followed-in-memory.ts";

let directory: string;
let path: string;
let db: Database;
let reported: string[];
let warnings: string[];
/** The clock, ms. */
let now: number;
let file: GrowingFile;
const newFile = (at = path) =>
  new GrowingFile(
    at,
    intakesInto(db, reported),
    (message) => warnings.push(message),
    () => now,
  );
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "facts.ndjson");
  db = emptyLedger();
  reported = [];
  warnings = [];
  now = 0;
  file = newFile();
});
afterEach(async () => {
  await file.close();
  db.close();
});

const line = (n: number) => `${JSON.stringify(receipt(n))}\n`;
const lines = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => line(first + index)).join("");
const poll = () => file.poll(() => false);
/** Looks until a replaced file has been quiet for long enough. */
const settle = async () => {
  for (const _ of [1, 2]) {
    await poll();
    now += 3_000;
  }
  await poll();
};

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

test("a renamed file is read until its writer has switched and it is quiet, then the new file from its start", async () => {
  writeFileSync(path, line(1));
  await poll();
  renameSync(path, `${path}.1`);
  writeFileSync(path, "");
  // The writer still has the old file open, and no time makes the empty one the next.
  for (const n of [2, 3]) {
    appendFileSync(`${path}.1`, line(n));
    await settle();
    expect(sequences(db)).toHaveLength(n);
  }
  appendFileSync(`${path}.1`, line(4).trimEnd());
  writeFileSync(path, `${line(6)}nonsense\n`);
  await poll();
  appendFileSync(`${path}.1`, `\n${line(5).trimEnd()}`);
  await settle();
  expect(sequences(db)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(reported).toEqual(["-:2 malformed_json"]);
  // A second writer is late.
  appendFileSync(`${path}.1`, `\n${JSON.stringify({ ...receipt(7), installationId: "wheel-2" })}\n`);
  appendFileSync(path, line(8));
  await poll();
  expect(file.counts).toEqual({ accepted: 8, duplicate: 0, rejected: 1 });
  expect(warnings).toEqual([]);
});

test("a file that had the name between two looks is found by its new name, and a compressed one is named", async () => {
  writeFileSync(path, line(1));
  await poll();
  renameSync(path, `${path}.2`);
  writeFileSync(`${path}.1`, line(2));
  writeFileSync(path, line(3));
  writeFileSync(`${path}.3.gz`, "");
  utimesSync(`${path}.3.gz`, 1_700_000_000, 1_700_000_000);
  writeFileSync(`${path}.rejects`, "no rotated file\n");
  await settle();
  expect(sequences(db)).toEqual([1, 2, 3]);
  expect(reported).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("facts.ndjson.3.gz (it is compressed)")]);
});

test("a compressed copy of a file that was read is not named", async () => {
  writeFileSync(path, line(1));
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  await poll();
  renameSync(path, `${path}.1`);
  writeFileSync(`${path}.1.gz`, "");
  utimesSync(`${path}.1.gz`, 1_700_000_000, 1_700_000_000);
  unlinkSync(`${path}.1`);
  writeFileSync(path, line(2));
  await settle();
  expect(sequences(db)).toEqual([1, 2]);
  expect(warnings).toEqual([]);
});

test("a replaced file that grows after an hour is read again at the next rotation", async () => {
  writeFileSync(path, line(1));
  await poll();
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(2));
  await settle();
  now += 3_700_000;
  await poll();
  appendFileSync(`${path}.1`, JSON.stringify({ ...receipt(3), installationId: "wheel-2" }));
  await poll();
  expect(sequences(db)).toHaveLength(2);
  renameSync(path, `${path}.0`);
  writeFileSync(path, line(4));
  await settle();
  expect(sequences(db)).toHaveLength(4);
});

test.for(seeds(20))(
  "in history %i of rotations each whole line is taken or named, whenever a look or a restart happens",
  async (seed) => {
    const random = new Random(seed);
    const written: string[] = [];
    const rejected = new Set<string>();
    const restart = () =>
      new GrowingFile(
        path,
        () => {
          const intake = new Intake(db, {
            onRejected: (rejections) => rejections.forEach(({ raw }) => rejected.add(raw)),
          });
          return { intake, hasOwnRejects: false, close: () => intake.abort() };
        },
        (message) => warnings.push(message),
        () => now,
      );
    file = restart();
    const writer = { fd: openSync(path, "a"), half: "" };
    const act = () => {
      switch (random.below(9)) {
        case 0: {
          // Rotation, with or without *create*, which does not tell the writer yet.
          for (let n = 60; n > 0; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
          if (existsSync(path)) renameSync(path, `${path}.1`);
          if (random.once(2)) closeSync(openSync(path, "a"));
          return;
        }
        case 1:
          if (writer.half !== "") return;
          closeSync(writer.fd);
          writer.fd = openSync(path, "a");
          return;
        case 2:
          now += random.pick([10, 900, 4_000]);
          return;
        default: {
          const text = writer.half === "" ? line(written.length + 1) : writer.half;
          const cut = random.once(3) ? random.between(1, text.length - 1) : text.length;
          writeSync(writer.fd, text.slice(0, cut));
          writer.half = text.slice(cut);
          if (writer.half === "") written.push(line(written.length + 1));
        }
      }
    };
    for (let step = 0; step < 60; step++) {
      act();
      // The same happens at any point of a look.
      if (random.once(2)) await file.poll(() => random.once(3) && (act(), false));
      if (random.once(15)) {
        await file.close();
        file = restart();
      }
    }
    closeSync(writer.fd);
    // A file that lost its name is followed by one with bytes.
    if (!existsSync(path)) writeFileSync(path, "\n");
    for (let n = 0; n < 8; n++) await settle();
    const known = new Set(sequences(db));
    const missing = written.filter((text, at) => !known.has(at + 1) && !rejected.has(text.trimEnd()));
    expect({ missing, warnings }).toEqual({ missing: [], warnings: [] });
  },
);

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
    const one = newFile();
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
  const broken = newFile(directory);
  const failure = { code: "file_unreadable" };
  await expect(broken.poll(() => false)).rejects.toMatchObject(failure);
});
