/** A put without a response may be stored long after the publisher gave up (docs/spec/publishing.md#one-writer). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCheckpoint } from "../../publish/published-log.ts";
import { type ObjectStore, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { storeWithPut } from "../support/stepped-store.ts";
import { INSTALLATION, START, type Worker, World } from "./world.ts";

/** The sum of the newest receipt, which a stale response still has. */
const workOf = (body: string) => Number(JSON.parse(body).measurement.cumulativeWorkUnits);

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(3);
});
afterEach(() => world.end());

/** Lets time pass: renewals, checks, and the cycles that become due. */
async function pass({ publisher }: Worker, seconds: number): Promise<void> {
  for (const end = world.now + seconds * 1_000; world.now < end; world.now += 1_000) {
    await publisher.renewIfDue();
    await publisher.scrubIfDue(world.now);
    if (!publisher.isIdle(world.now)) await publisher.cycle(world.now);
  }
}

/** Acts like S3 if a request gets no response and is sent again: the first one can be executed at any later time. */
function losing(store: ObjectStore, isLost: (key: string) => boolean) {
  let late: (() => Promise<unknown>) | undefined;
  const losingStore = storeWithPut(store, (key, object, condition) => {
    if (isLost(key) && late === undefined) {
      late = () => store.put(key, object);
      condition?.repeated?.();
    }
    return store.put(key, object, condition);
  });
  return { store: losingStore, deliverLatePut: () => late?.() };
}

/** The put of the fourth receipt's object has no response, and the fifth receipt is published after it. */
async function publishedOverLost(lostKey: string) {
  let isLosing = false;
  const { store, deliverLatePut } = losing(world.store, (key) => isLosing && key === lostKey);
  const worker = await world.work({ store });
  await worker.cycle(START + 10_000);
  isLosing = true;
  world.receive(1);
  await worker.cycle(START + 13_000);
  isLosing = false;
  world.receive(1);
  await worker.cycle(START + 16_000);
  return { worker, deliverLatePut };
}

test("an object that a late put overwrote is read and put again at the next renewal, without a new fact", async () => {
  const { worker, deliverLatePut } = await publishedOverLost(TELEMETRY_KEY);
  const newest = await world.body("/v1/public/telemetry");
  await deliverLatePut();
  expect(workOf(await world.body("/v1/public/telemetry"))).toBeLessThan(workOf(newest));
  await pass(worker, 6);
  expect(workOf(await world.body("/v1/public/telemetry"))).toBe(workOf(newest));
  await pass(worker, 100);
  expect(worker.held.head.doubted).toEqual([]);
});

test("a checkpoint that a late put of an older one overwrote is put again, without a new fact", async () => {
  const { worker, deliverLatePut } = await publishedOverLost("private/log/checkpoint");
  await deliverLatePut();
  expect(await readCheckpoint(world.store, "private")).toMatchObject({ size: 4 });
  world.store.puts.length = 0;
  await pass(worker, 6);
  expect(await readCheckpoint(world.store, "private")).toMatchObject({ size: 5 });
  expect(world.store.puts.filter((key) => key.includes("/log/"))).toEqual(["private/log/checkpoint"]);
});

test("an object that a late put overwrote after a restart is also rewritten", async () => {
  const { store, deliverLatePut } = losing(world.store, (key) => key === TELEMETRY_KEY);
  const first = await world.work({ store });
  await first.cycle(START + 10_000);
  await first.stop();
  world.receive(1);
  const second = await world.work();
  await second.cycle(START + 13_000);
  const newest = await world.body("/v1/public/telemetry");
  await deliverLatePut();
  expect(workOf(await world.body("/v1/public/telemetry"))).toBeLessThan(workOf(newest));
  await pass(second, 6);
  expect(workOf(await world.body("/v1/public/telemetry"))).toBe(workOf(newest));
  await second.stop();
});

test("a new tile that was stored without a response grows with the next receipt", async () => {
  const tile = observationTileKey(INSTALLATION, 1);
  let hasResponse = true;
  const store = storeWithPut(world.store, async (key, object, condition) => {
    const tag = await world.store.put(key, object, condition);
    if (!hasResponse && key === tile) throw new StoreUnavailable(`${key}: no response`);
    return tag;
  });
  world.receive(125);
  const worker = await world.work({ store });
  await worker.cycle(START + 400_000);
  hasResponse = false;
  world.receive(1);
  await expect(worker.cycle(START + 403_000)).rejects.toThrow("no response");
  hasResponse = true;
  world.receive(1);
  const { rows } = await worker.cycle(START + 406_000);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  const page = await world.body(`/v1/public/installations/${INSTALLATION}/observations?limit=100&cursor=MTAw`);
  expect(JSON.parse(page).items).toHaveLength(30);
  await worker.stop();
});
