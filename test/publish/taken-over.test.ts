/**
 * A takeover reads the index, the configured installation and dirty installations. It reads another installation at its
 * first new fact (docs/spec/publishing.md#ten-thousand).
 */
import { copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { receive, START, type Worker, type WorkOptions, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = new World();
  world.receive(1);
  world.ledger.transaction(() => {
    for (let rowId = 2; rowId <= OTHERS + 1; rowId++) world.receive(1, rowId, `wheel-${rowId}`);
  })();
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
});
afterEach(() => world.end());

const OTHERS = 80;
const key = (rowId: number) => installationTelemetryKey(`wheel-${rowId}`);
const positionAt = async (rowId: number) => Number((await world.store.get(key(rowId)))?.metadata["position"]);

/** Ids of the other installations that are read or put while `use` runs. */
async function othersOf(use: () => Promise<unknown>): Promise<string[]> {
  const before = [world.store.gets.length, world.store.puts.length];
  await use();
  const keys = [...world.store.gets.slice(before[0]), ...world.store.puts.slice(before[1])];
  return [...new Set(keys.flatMap((touched) => /~(wheel-\d+)\//.exec(touched)?.[1] ?? []))].filter(
    (id) => id !== "wheel-1",
  );
}

test("a store that was put back from a copy, with the state kept, continues after the copy's log", async () => {
  const [directory, copy] = ["store", "copy"].map((name) => join(world.folder, name)) as [string, string];
  const begun = async () => world.work({ store: new FilesystemStore(directory, { write: true }), state: "kept" });
  const stored = async (rowId: number) => {
    const object = await new FilesystemStore(directory, { write: false }).get(key(rowId));
    return Number(object?.metadata["position"]);
  };
  const first = await begun();
  await first.cycle(START + 11_000);
  await first.publisher.renewIfDue();
  cpSync(directory, copy, { recursive: true });
  for (let rowId = 2; rowId <= OTHERS + 1; rowId++) world.receive(1, rowId, `wheel-${rowId}`);
  await first.cycle(START + 12_000);
  await first.stop();
  expect(await stored(40)).toBe(2);

  rmSync(directory, { recursive: true });
  cpSync(copy, directory, { recursive: true });
  world.now += 40_000;
  const again = await begun();
  await again.cycle(world.now);
  expect(await Promise.all([2, 40, OTHERS + 1].map(stored))).toEqual([2, 2, 2]);
  await again.stop();
});

async function takeOver(options: WorkOptions = {}): Promise<Worker> {
  return world.work({ state: "lost", ...options });
}

test("after lost state nothing is read of an installation without new facts", async () => {
  const before = world.store.gets.length;
  let worker: Worker | undefined;
  const touched = await othersOf(async () => {
    worker = await takeOver();
    await worker.cycle(START + 11_000);
  });
  expect(touched).toEqual([]);
  expect(world.store.gets.length - before).toBeLessThan(50);
  const others = await othersOf(async () => {
    world.receive(1, 70, "wheel-70");
    await worker?.cycle(START + 12_000);
  });
  expect(others).toEqual(["wheel-70"]);
  expect([await positionAt(70), await positionAt(71)]).toEqual([2, 1]);
  await worker?.stop();
});

test("the first cycle publishes the facts that arrived without a publisher, and reads nothing else", async () => {
  world.receive(1, 7, "wheel-7");
  world.receive(1, 99, "wheel-99");
  let worker: Worker | undefined;
  const others = await othersOf(async () => {
    worker = await takeOver();
    await worker.cycle(START + 11_000);
  });
  expect(others.toSorted()).toEqual(["wheel-7", "wheel-99"]);
  expect(await positionAt(7)).toBe(2);
  expect(await world.body("/v1/public/installations/wheel-99/telemetry")).toContain('"online"');
  await worker?.stop();
});

test("after lost state readers still get the successor in time", async () => {
  const worker = await takeOver();
  expect(await othersOf(() => worker.cycle(START + 3_000 + 120_001))).toEqual([]);
  expect(await world.body("/v1/public/installations/wheel-70/telemetry")).toContain('"stale"');
  await worker.stop();
});

/** Copies the ledger, then publishes later facts and kills the holder before it reports them. Returns the copy. */
async function publishedFromAnother(): Promise<string> {
  world.ledger.pragma("wal_checkpoint(TRUNCATE)");
  const path = `${world.folder}/copy.db`;
  copyFileSync(world.ledgerPath, path);
  const holder = await world.work();
  await holder.cycle(START + 11_000);
  world.receive(2, 70, "wheel-70");
  await holder.cycle(START + 12_000);
  holder.kill();
  world.now = START + 175_000;
  return path;
}

test("a ledger that is behind what is published is found before the first put", async () => {
  const ledgerPath = await publishedFromAnother();
  const worker = await takeOver({ ledgerPath });
  expect(await othersOf(() => worker.cycle(START + 175_000))).toEqual([]);
  const copy = openLedgerForIntake(ledgerPath);
  receive(copy, 1, { rowId: 70, id: "wheel-70" });
  copy.close();
  const before = world.store.puts.length;
  const { failures } = await worker.cycle(START + 116_000);
  expect(failures).toMatchObject([{ code: "ledger_behind" }]);
  expect(world.store.puts.slice(before).filter((put) => put.includes("wheel-70"))).toEqual([]);
  expect(await positionAt(70)).toBe(3);
  await worker.stop();
});

test("the next holder publishes an installation that was left dirty, without a new fact", async () => {
  const first = await takeOver();
  world.receive(1, 70, "wheel-70");
  world.store.failPuts = (put) => put.includes("wheel-70/");
  await expect(first.cycle(START + 11_000)).rejects.toThrow("is refused");
  world.store.failPuts = undefined;
  await first.stop();
  const second = await world.work({ state: "lost too" });
  expect(await othersOf(() => second.cycle(START + 12_000))).toEqual(["wheel-70"]);
  expect(await positionAt(70)).toBe(2);
  await second.stop();
});

test.for<[string, WorkOptions, (world: World) => unknown]>([
  ["another program", { program: "1.0.1" }, () => {}],
  ["--force", { force: true }, () => {}],
])("every installation is looked up after %s", async ([, options, prepare]) => {
  await prepare(world);
  const worker = await takeOver(options);
  expect((await othersOf(() => worker.cycle(START + 11_000))).length).toBeGreaterThan(OTHERS - 2);
  await worker.stop();
});
