/**
 * The cost of one publisher of 1, 1,000 and 10,000 installations: the first publish, a cycle for one new receipt, a takeover
 * with the state lost, all turning stale at one instant. NOONMARK_BENCH_INSTALLATIONS=100000: that many beside one, in memory
 * only.
 */
import { type ObjectStore, StoreConflict, type StoredObject } from "../../src/object-store/object-store.ts";
import { PRIVATE_STATUS_KEY, STATUS_KEY } from "../../src/http/keys.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Publisher } from "../../publish/publisher.ts";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { blocked, type Watched, watched } from "../support/loop-watch.ts";
import { allStale } from "../support/publisher/all-stale.ts";
import { addReceipt, openMany, RECEIVED, writeManyInstallations } from "../support/publisher/many-installations.ts";
import { median } from "../support/quantile.ts";
import SqliteDatabase, { type Database } from "better-sqlite3";

const MANY = Number(process.env.NOONMARK_BENCH_INSTALLATIONS ?? 0);
const SIZES = MANY > 0 ? [1, MANY] : [1, 1000, 10_000];
const CYCLES = 200;
const STALE = RECEIVED + 120_001;

interface Subject {
  readonly installations: number;
  readonly folder: string;
  readonly store: CountedStore;
  readonly publisher: Publisher;
  readonly writer: Database;
  readonly cycles: Watched[];
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
  // In turn, so that all meet the same machine.
  for (let turn = 0; turn < CYCLES; turn++) for (const subject of subjects) await oneReceipt(subject, turn);
  for (const subject of subjects) {
    const of = ({ cycles }: Subject, name: keyof Watched) => cycles.map((cycle) => cycle[name]);
    const worst = (name: keyof Watched) => Math.max(...of(subject, name));
    const seen = { longestBlockMs: worst("longestBlockMs"), longestStepMs: worst("longestStepMs") };
    const beside = (name: keyof Watched) => {
      const [cycle, base] = [median(of(subject, name)), median(of(subjects[0] ?? subject, name))];
      return `${cycle.toFixed(2)} ms, ${(cycle / base).toFixed(2)} ×`;
    };
    console.log(
      `${subject.installations} installations: one new receipt ${beside("milliseconds")} (at work ${beside("workMs")}), ${blocked(seen)}`,
    );
  }
  return subjects;
}

function firstPublish(folder: string, installations: number): void {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const script = join(import.meta.dirname, "../support/publisher/many-installations-process.ts");
  const text = execFileSync(process.execPath, [script, folder], { encoding: "utf8" });
  const seen = JSON.parse(text) as Watched & { readonly objects: number; readonly megabytes: number };
  const { milliseconds, objects, megabytes } = seen;
  console.log(
    `${installations} installations, first publish: ${milliseconds.toFixed(0)} ms, ${objects} puts, ` +
      `${(milliseconds / objects).toFixed(3)} ms each, ${megabytes} MB at most, ${blocked(seen)}`,
  );
}

async function begin(folder: string, installations: number, open: (folder: string) => ObjectStore): Promise<Subject> {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const store = countedStore(open(folder));
  const { publisher, stop } = await openMany(folder, { state: "state", store });
  const seen = await watched(() => publisher.cycle(RECEIVED + 1000));
  const puts = store.asked.filter((what) => what === "put").length;
  const each = (seen.milliseconds / puts).toFixed(3);
  console.log(`  ${installations}, first publish: ${seen.milliseconds.toFixed(0)} ms, ${each} ms a put, ${blocked(seen)}`);
  const writer = new SqliteDatabase(join(folder, "ledger.db"));
  return { installations, folder, store, publisher, writer, cycles: [], stop };
}

/** For the configured installation, whose other responses are compared too. */
async function oneReceipt({ writer, publisher, cycles }: Subject, turn: number): Promise<void> {
  writer.transaction(() => addReceipt(writer, 1, turn + 2))();
  cycles.push(await watched(() => publisher.cycle(RECEIVED + 1000)));
}

/** The next publisher takes over with the state lost; then one of the others moves for the first time. */
async function turnStaleThenTakeOver({ folder, store, writer, publisher, installations, stop }: Subject): Promise<void> {
  const stale = await watched(() => publisher.cycle(STALE));
  await stop();
  const bytes = (await store.get("status.json"))?.body.length;
  console.log(
    `${installations} installations: all turn stale, ${stale.milliseconds.toFixed(0)} ms, ${blocked(stale)}; status.json ${bytes} bytes`,
  );
  writer.transaction(() => addReceipt(writer, 1, CYCLES + 2))();
  store.asked.length = 0;
  const began = performance.now();
  const next = await openMany(folder, { state: "lost", store });
  const openMs = performance.now() - began;
  const seen = await watched(() => next.publisher.cycle(STALE + 1000));
  const { asked } = store;
  console.log(
    `  taken over with the state lost: ${asked.indexOf("put")} requests before the first put, ${asked.length} in all, ` +
      `${openMs.toFixed(0)} + ${seen.milliseconds.toFixed(0)} ms, ${blocked(seen)}`,
  );
  if (installations > 1) {
    store.asked.length = 0;
    writer.transaction(() => addReceipt(writer, installations, 2))();
    await next.publisher.cycle(STALE + 2000);
    console.log(`  then another installation moves: ${store.asked.length} requests`);
  }
  await next.stop();
  writer.close();
}

/** All turn stale while a publisher with its state kept is on its schedule. */
async function onSchedule({ folder, store, writer, installations, stop }: Subject): Promise<void> {
  await stop();
  writer.close();
  const { puts, lastPutMs, renewals, longestBetweenMs, readBefore, ...seen } = await allStale(folder, installations, store);
  console.log(
    `${installations} turn stale on a schedule: ${puts} puts within ${(lastPutMs / 1000).toFixed(1)} s; ` +
      `the lease renewed ${renewals} times, ${(longestBetweenMs / 1000).toFixed(1)} s between two at most; ` +
      `a shim at that instant: ${readBefore}; ${blocked(seen)}`,
  );
}

interface CountedStore extends ObjectStore {
  /** In their order. */
  readonly asked: ("get" | "put")[];
}

function countedStore(store: ObjectStore): CountedStore {
  const asked: ("get" | "put")[] = [];
  const count = (key: string, what: "get" | "put") => {
    if (key !== STATUS_KEY && key !== PRIVATE_STATUS_KEY) asked.push(what);
  };
  return {
    name: store.name,
    asked,
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
