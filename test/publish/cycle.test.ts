import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { ingest } from "../ledger/ingest.ts";
import { receipt } from "../ledger/samples.ts";
import { raiseWatermark } from "../support/raise-watermark.ts";
import { storeWithPut } from "../support/stepped-store.ts";
import { INSTALLATION, START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** The keys that are put, without the head. */
const putsDuring = async (work: () => Promise<unknown>) => {
  const before = world.store.puts.length;
  await work();
  return world.store.puts
    .slice(before)
    .filter((key) => key !== "private/head.json")
    .toSorted();
};

test("one new receipt puts only its entry, the checkpoint, telemetry, process and its tile", async () => {
  world.receive(5);
  const worker = await world.work();
  await worker.cycle(START + 16_000);
  world.receive(1);
  expect(await putsDuring(() => worker.cycle(START + 19_000))).toEqual([
    "private/log/checkpoint",
    "private/log/tile/0/000.p/6",
    "private/log/tile/entries/000.p/6",
    "v1/public/installations/~wheel-1/observations/0",
    "v1/public/telemetry",
    "v4/public/process",
  ]);
});

test("an idle publisher sends no request and builds nothing", async () => {
  world.receive(5);
  const worker = await world.work();
  await worker.cycle(START + 16_000);
  const { gets, puts } = world.store;
  const before = [gets.length, puts.length];
  expect(worker.publisher.isIdle(START + 17_000)).toBe(true);
  expect([gets.length, puts.length]).toEqual(before);
  world.receive(1);
  expect(worker.publisher.isIdle(START + 17_000)).toBe(false);
});

test("a receipt that fills a tile puts that tile, and the next receipt starts a new one", async () => {
  world.receive(127);
  const worker = await world.work();
  await worker.cycle(START + 400_000);
  world.receive(2);
  const tiles = (await putsDuring(() => worker.cycle(START + 401_000))).filter((key) => key.includes("observations"));
  expect(tiles).toEqual([
    "v1/public/installations/~wheel-1/observations/0",
    "v1/public/installations/~wheel-1/observations/1",
  ]);
  const page = JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations?cursor=MTI2`));
  expect(page.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([127, 128, 129]);
});

test("a second publisher is refused with the name of the lease's holder", async () => {
  const worker = await world.work();
  await expect(world.work({ state: "other" })).rejects.toMatchObject({ code: "lease_held" });
  await expect(world.work()).rejects.toMatchObject({ code: "state_locked" });
  await worker.stop();
  await (await world.work({ state: "other" })).stop();
});

test("a publisher that lost its state reads it from the store and puts nothing twice", async () => {
  world.receive(300);
  const worker = await world.work();
  await worker.cycle(START + 901_000);
  await worker.stop();
  const again = await world.work({ state: "new" });
  const done = await putsDuring(() => again.cycle(START + 902_000));
  expect(done.filter((key) => world.store.puts.filter((put) => put === key).length > 1)).toEqual([]);
  const report = await again.cycle(START + 903_000);
  expect(report.rows.filter(({ action }) => action !== "unchanged")).toEqual([]);
  await again.stop();
});

test("a new installation is added to the index after its objects are stored", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  expect(await world.body("/v1/public/installations/wheel-2/telemetry")).toContain('"offline"');
  world.receive(2, 2, "wheel-2");
  const puts = world.store.puts.length;
  await worker.cycle(START + 11_000);
  expect(world.store.puts.slice(puts).at(-1)).toBe("installations");
  expect(await world.body("/v1/public/installations/wheel-2/telemetry")).toContain('"online"');
  expect(JSON.parse(await world.body("/v1/public/installations/wheel-2/observations")).items).toHaveLength(2);
});

test("a response that cannot be built is reported, and the others are published", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const before = await world.body("/v1/public/modules");
  world.ledger.exec("INSERT INTO module VALUES (1, 'a', 't', 'd', '1', 1, 'no such state', 0, 'hardware', 0)");
  raiseWatermark(world.ledger, 1, "module", 1);
  world.receive(1);
  const { rows } = await worker.cycle(START + 13_000);
  expect(rows.filter(({ action }) => action === "failed").map(({ key }) => key)).toEqual(["v1/public/modules"]);
  expect(rows.find(({ key }) => key === "v1/public/telemetry")?.action).toBe("updated");
  expect(await world.body("/v1/public/modules")).toBe(before);
});

test("a tile that the store rejected is put once the store recovers, without a new fact", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  world.receive(1);
  world.store.failPuts = (key) => key.includes("/observations/");
  const { rows } = await worker.cycle(START + 13_000);
  expect(rows.filter(({ action }) => action === "failed").map(({ resource }) => resource)).toEqual(["observations"]);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"4"');
  world.store.failPuts = undefined;
  expect(worker.publisher.isIdle(START + 14_000)).toBe(true);
  expect(worker.publisher.isIdle(START + 18_000)).toBe(false);
  await worker.cycle(START + 18_000);
  expect(JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations`)).items).toHaveLength(4);
});

test("the last tile is not put while an earlier one is missing, and the next cycle puts both", async () => {
  world.receive(300);
  const [middle, last] = [observationTileKey(INSTALLATION, 1), observationTileKey(INSTALLATION, 2)];
  const worker = await world.work();
  world.store.failPuts = (key) => key === middle;
  await worker.cycle(START + 910_000);
  expect(await world.store.get(last)).toBeUndefined();
  world.store.failPuts = () => false;
  await worker.cycle(START + 945_000);
  expect([await world.store.get(middle), await world.store.get(last)]).not.toContain(undefined);
  await worker.stop();
});

test("no tile is made from a ledger that was restored in place after the check", async () => {
  const receipts = (count: number, changes = {}) => Array.from({ length: count }, (_, n) => receipt(n + 1, changes));
  const [path, forkPath] = [join(world.folder, "own.db"), join(world.folder, "fork.db")];
  const ledger = openLedgerForIntake(path);
  ingest(ledger, receipts(300));
  const fork = openLedgerForIntake(forkPath);
  ingest(fork, receipts(400, { cumulativeWorkUnits: "7" }));
  fork.close();
  let isRestored = false;
  const restore = () => {
    isRestored = true;
    ledger.exec(`ATTACH '${forkPath}' AS fork; PRAGMA foreign_keys = OFF`);
    const tables = ledger
      .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all();
    ledger.transaction(() => {
      for (const table of tables)
        ledger.exec(`DELETE FROM main."${table}"; INSERT INTO main."${table}" SELECT * FROM fork."${table}"`);
    })();
  };
  const { store } = world;
  const restoring = storeWithPut(store, async (key, object, condition) => {
    const tag = await store.put(key, object, condition);
    if (!isRestored && key === observationTileKey(INSTALLATION, 0)) restore();
    return tag;
  });
  const worker = await world.work({ store: restoring, ledgerPath: path });
  const { failures } = await worker.cycle(START + 2_000_000);
  expect(failures.map(({ code }) => code)).toEqual(["ledger_forked"]);
  const tiles = [...store.contents()].filter(([key]) => key.includes("/observations/"));
  expect(tiles.map(([key]) => key)).toEqual([observationTileKey(INSTALLATION, 0)]);
  await worker.stop();
  ledger.close();
});
