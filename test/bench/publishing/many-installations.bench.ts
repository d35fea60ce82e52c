/**
 * Measures one publisher with 1, 1,000 and 10,000 installations: the first publish, a cycle for one new receipt, a
 * takeover with lost state, and all installations turning stale at once. NOONTEST_BENCH_INSTALLATIONS=10000 compares
 * that count with one installation, in memory only.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { Publisher } from "../../../publish/publisher.ts";
import { PRIVATE_STATUS_KEY, STATUS_KEY } from "../../../src/http/keys.ts";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { type ObjectStore, StoreConflict, type StoredObject } from "../../../src/object-store/object-store.ts";
import { blockingText, type LoopTimes, watchLoop } from "../support/loop-watch.ts";
import { allStale } from "../support/publisher/all-stale.ts";
import { addReceipt, openMany, RECEIVED, writeManyInstallations } from "../support/publisher/many-installations.ts";
import { median } from "../support/quantile.ts";

const MANY = Number(process.env.NOONTEST_BENCH_INSTALLATIONS ?? 0);
const SIZES = MANY > 0 ? [1, MANY] : [1, 1000, 10_000];
const CYCLES = 200;
const STALE = RECEIVED + 120_001;

interface Subject {
  readonly installations: number;
  readonly folder: string;
  readonly store: CountedStore;
  readonly publisher: Publisher;
  readonly writer: Database;
  readonly cycles: LoopTimes[];
  stop(): Promise<void>;
}

export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    if (MANY === 0) for (const size of SIZES) firstPublish(join(root, `first-${size}`), size);
    console.log("over a store in memory");
    for (const subject of await cyclesOf(join(root, "memory"), keepingStore)) await turnStaleThenTakeOver(subject);
    if (MANY > 0) return;
    console.log("over a directory");
    const inDirectory = (folder: string) => new FilesystemStore(join(folder, "store"), { write: true });
    for (const subject of await cyclesOf(join(root, "directory"), inDirectory)) await onSchedule(subject);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function cyclesOf(root: string, open: (folder: string) => ObjectStore) {
  mkdirSync(root);
  const subjects: Subject[] = [];
  for (const size of SIZES) subjects.push(await begin(join(root, String(size)), size, open));
  // Alternate the sizes so that all see the same machine load.
  for (let cycle = 0; cycle < CYCLES; cycle++) for (const subject of subjects) await oneReceipt(subject, cycle);
  for (const subject of subjects) {
    const of = ({ cycles }: Subject, name: keyof LoopTimes) => cycles.map((cycle) => cycle[name]);
    const worst = (name: keyof LoopTimes) => Math.max(...of(subject, name));
    const times = { maxDelayMs: worst("maxDelayMs"), maxStepCpuMs: worst("maxStepCpuMs") };
    const withRatio = (name: keyof LoopTimes) => {
      const [cycle, base] = [median(of(subject, name)), median(of(subjects[0] ?? subject, name))];
      return `${cycle.toFixed(2)} ms, ${(cycle / base).toFixed(2)} ×`;
    };
    console.log(
      `${subject.installations} installations: one new receipt ${withRatio("milliseconds")} (CPU ${withRatio("cpuMs")}), ${blockingText(times)}`,
    );
  }
  return subjects;
}

function firstPublish(folder: string, installations: number): void {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const script = join(import.meta.dirname, "../support/publisher/many-installations-process.ts");
  const text = execFileSync(process.execPath, [script, folder], { encoding: "utf8" });
  const times = JSON.parse(text) as LoopTimes & { readonly objects: number; readonly megabytes: number };
  const { milliseconds, objects, megabytes } = times;
  console.log(
    `${installations} installations, first publish: ${milliseconds.toFixed(0)} ms, ${objects} puts, ` +
      `${(milliseconds / objects).toFixed(3)} ms each, ${megabytes} MB peak resident memory, ${blockingText(times)}`,
  );
}

async function begin(folder: string, installations: number, open: (folder: string) => ObjectStore): Promise<Subject> {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const store = countedStore(open(folder));
  const { publisher, stop } = await openMany(folder, { state: "state", store });
  const times = await watchLoop(() => publisher.cycle(RECEIVED + 1000));
  const puts = store.requests.filter((method) => method === "put").length;
  const each = (times.milliseconds / puts).toFixed(3);
  console.log(
    `  ${installations}, first publish: ${times.milliseconds.toFixed(0)} ms, ${each} ms a put, ${blockingText(times)}`,
  );
  const writer = new SqliteDatabase(join(folder, "ledger.db"));
  return { installations, folder, store, publisher, writer, cycles: [], stop };
}

/** Adds a receipt for the configured installation. Its cycle costs most: its other responses are compared too. */
async function oneReceipt({ writer, publisher, cycles }: Subject, cycle: number): Promise<void> {
  writer.transaction(() => addReceipt(writer, 1, cycle + 2))();
  cycles.push(await watchLoop(() => publisher.cycle(RECEIVED + 1000)));
}

/**
 * Turns all stale, then lets a new publisher take over without state, then adds the first receipt of another
 * installation.
 */
async function turnStaleThenTakeOver({
  folder,
  store,
  writer,
  publisher,
  installations,
  stop,
}: Subject): Promise<void> {
  const stale = await watchLoop(() => publisher.cycle(STALE));
  await stop();
  const bytes = (await store.get("status.json"))?.body.length;
  console.log(
    `${installations} installations: all turn stale, ${stale.milliseconds.toFixed(0)} ms, ${blockingText(stale)}; status.json ${bytes} bytes`,
  );
  writer.transaction(() => addReceipt(writer, 1, CYCLES + 2))();
  store.requests.length = 0;
  const began = performance.now();
  const clock = { wall: () => STALE + 1000, monotonic: () => 0 };
  const next = await openMany(folder, { state: "lost", store, clock });
  const openMs = performance.now() - began;
  const times = await watchLoop(() => next.publisher.cycle(STALE + 1000));
  const { requests } = store;
  console.log(
    `  takeover without state: ${requests.indexOf("put")} requests before the first put, ${requests.length} in total, ` +
      `${openMs.toFixed(0)} + ${times.milliseconds.toFixed(0)} ms, ${blockingText(times)}`,
  );
  if (installations > 1) {
    store.requests.length = 0;
    writer.transaction(() => addReceipt(writer, installations, 2))();
    await next.publisher.cycle(STALE + 2000);
    console.log(`  then a receipt of another installation: ${store.requests.length} requests`);
  }
  await next.stop();
  writer.close();
}

/** Lets all installations turn stale on the schedule of a publisher that kept its state. */
async function onSchedule({ folder, store, writer, installations, stop }: Subject): Promise<void> {
  await stop();
  writer.close();
  const { puts, lastPutMs, renewals, maxRenewalGapMs, responseBefore, ...times } = await allStale(
    folder,
    installations,
    store,
  );
  console.log(
    `${installations} turn stale on a schedule: ${puts} puts within ${(lastPutMs / 1000).toFixed(1)} s; ` +
      `${renewals} lease renewals, at most ${(maxRenewalGapMs / 1000).toFixed(1)} s apart; ` +
      `shim response at that instant: ${responseBefore}; ${blockingText(times)}`,
  );
}

interface CountedStore extends ObjectStore {
  /** Gets and puts in call order, except those of the status objects. */
  readonly requests: ("get" | "put")[];
}

function countedStore(store: ObjectStore): CountedStore {
  const requests: ("get" | "put")[] = [];
  const count = (key: string, method: "get" | "put") => {
    if (key !== STATUS_KEY && key !== PRIVATE_STATUS_KEY) requests.push(method);
  };
  return {
    name: store.name,
    requests,
    get(key, options) {
      count(key, "get");
      return store.get(key, options);
    },
    put(key, object, condition) {
      count(key, "put");
      return store.put(key, object, condition);
    },
    delete: (key) => store.delete(key),
    list: (prefix) => store.list(prefix),
  };
}

function keepingStore(): ObjectStore {
  const kept = new Map<string, StoredObject>();
  let tag = 0;
  return {
    name: "memory",
    get: async (key) => kept.get(key),
    async put(key, object, condition) {
      const present = kept.get(key)?.tag;
      const holds =
        condition === undefined || ("ifAbsent" in condition ? present === undefined : present === condition.ifTag);
      if (!holds) throw new StoreConflict(key);
      const stored = { ...object, tag: String(++tag) };
      kept.set(key, stored);
      return stored.tag;
    },
    async delete(key) {
      kept.delete(key);
    },
    async *list(prefix) {
      yield* [...kept.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    },
  };
}
