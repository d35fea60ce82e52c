import { afterEach, beforeEach, expect, test } from "vitest";
import { takeForOneRun } from "../../publish/head/take.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { raiseWatermark } from "../support/raise-watermark.ts";
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
  const { candidate, close } = world.open({ state: "other" });
  const pause = async (ms: number) => {
    world.now += ms;
    await worker.publisher.renewIfDue(undefined);
  };
  await expect(takeForOneRun(candidate, pause)).rejects.toMatchObject({ code: "lease_held" });
  close();
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

test("what the store rejected is put once the store recovers, without a new fact", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  world.receive(200);
  world.store.failPuts = (key) => key === observationTileKey(INSTALLATION, 0);
  await expect(worker.cycle(START + 613_000)).rejects.toThrow(StoreUnavailable);
  // Telemetry never names a receipt whose tile is missing.
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"3"');
  world.store.failPuts = undefined;
  expect(worker.publisher.isIdle(START + 614_000)).toBe(false);
  await worker.cycle(START + 614_000);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"203"');
  const page = `/v1/public/installations/${INSTALLATION}/observations?limit=100&cursor=MTAw`;
  expect(JSON.parse(await world.body(page)).items).toHaveLength(100);
});
