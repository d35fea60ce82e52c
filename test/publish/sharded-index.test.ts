/** The index of more than a thousand installations is stored in shards (docs/spec/publishing.md#index). */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { examine } from "../../publish/repair.ts";
import { shardKey, shardKeyOf } from "../../src/http/installations.ts";
import type { StoredObject } from "../../src/object-store/object-store.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { START, type WorkOptions, World } from "./world.ts";

const MANY = 1_100;
const SHARDS = 256;
const shardOf = (rowId: number) => shardKeyOf(`wheel-${rowId}`, SHARDS);
const telemetryOf = (rowId: number) => `/v1/public/installations/wheel-${rowId}/telemetry`;
const historyUrl = (rowId: number) => `/v1/public/installations/wheel-${rowId}/observations`;

/** Published once; its store is copied for each test. */
const world = new World();
let published: ReadonlyMap<string, StoredObject>;
let received = MANY;
let states = 0;

beforeAll(async () => {
  world.ledger.transaction(() => {
    for (let rowId = 1; rowId <= MANY; rowId++) world.receive(1, rowId, `wheel-${rowId}`);
  })();
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
  published = await objectsOf(world.store);
});
afterAll(() => world.end());

beforeEach(async () => {
  const store = new MemoryStore();
  for (const [key, { tag: _, ...object }] of published) await store.put(key, object);
  Object.assign(world, { store });
  store.puts.length = 0;
});
afterEach(() => {
  world.now = START + 1_000_000;
});

async function objectsOf(store: MemoryStore): Promise<ReadonlyMap<string, StoredObject>> {
  const found = new Map<string, StoredObject>();
  for await (const key of store.list("")) {
    const object = await store.get(key);
    if (object !== undefined) found.set(key, object);
  }
  return found;
}

const json = async (key: string) => JSON.parse(new TextDecoder().decode((await world.store.get(key))?.body));
const takeOver = (options: WorkOptions = {}) => world.work({ state: `state ${++states}`, ...options });
const indexPuts = () => world.store.puts.filter((key) => key.startsWith("installations"));
const statusOf = async (url: string) => (await world.read(url)).status;

/** A new installation, or one more receipt. */
function receive(rowId = ++received): number {
  world.receive(1, rowId, `wheel-${rowId}`);
  return rowId;
}

test("every shard is stored, and the index has the number of shards", async () => {
  expect(await json("installations")).toEqual({ schemaVersion: 1, configured: "wheel-1", shards: SHARDS });
  expect([...published.keys()].filter((key) => key.startsWith("installations/"))).toHaveLength(SHARDS);
  for (const rowId of [1, 2, 500, MANY]) {
    expect((await json(shardOf(rowId))).installations[`wheel-${rowId}`], `${rowId}`).toEqual({ history: "1" });
    expect(await world.body(telemetryOf(rowId)), `${rowId}`).toContain('"online"');
    expect(JSON.parse(await world.body(historyUrl(rowId))).items, `${rowId}`).toHaveLength(1);
  }
  expect(await world.body(telemetryOf(90_000))).toContain('"offline"');
  expect((await examine(world.store, world.now)).findings).toEqual([]);
});

test("a reader of one installation reads one shard", async () => {
  world.store.gets.length = 0;
  await world.body(telemetryOf(500));
  expect(world.store.gets).toEqual(["installations", shardOf(500), installationTelemetryKey("wheel-500")]);
});

test("a takeover reads the shards of dirty installations, and a new installation puts only its shard", async () => {
  world.store.gets.length = 0;
  const [old, fresh] = [receive(700), receive()];
  const worker = await takeOver();
  await worker.cycle(START + 20_000);
  const read = new Set(world.store.gets.flatMap((key) => /^installations\/[^?]*/.exec(key)?.[0] ?? []));
  expect(read).toEqual(new Set([shardOf(1), shardOf(old), shardOf(fresh)]));
  expect(indexPuts()).toEqual([shardOf(fresh)]);
  expect(await world.body(telemetryOf(fresh))).toContain('"coreStatus":"ACTIVE"');
  await worker.stop();
  const { report } = await json("status.json");
  expect(report.others).toMatchObject({ count: 2, unread: received - 3 });
  expect(Object.keys(report.resources).filter((name) => name.startsWith("installations/"))).toEqual([]);
});

test.for<[string, (key: string) => unknown]>([
  ["missing", (key) => world.store.delete(key)],
  ["damaged", (key) => world.store.damage(key)],
  ["none", async (key) => world.store.put(key, { ...(published.get(key) as StoredObject), body: Buffer.from("{}") })],
])("a shard that is %s is 503, reported, and rewritten with all its names", async ([, damage]) => {
  const key = shardOf(600);
  const before = await json(key);
  await damage(key);
  expect([await statusOf(telemetryOf(600)), await statusOf(historyUrl(600)), await statusOf(telemetryOf(601))]).toEqual(
    [503, 503, 200],
  );
  const { findings } = await examine(world.store, world.now);
  expect(findings.map((finding) => finding.key)).toEqual([key]);
  receive(600);
  const worker = await takeOver();
  const { rows, failures } = await worker.cycle(START + 20_000);
  expect([failures, rows.filter(({ action }) => action === "failed")]).toEqual([[], []]);
  expect(await json(key)).toEqual(before);
  expect(JSON.parse(await world.body(historyUrl(600))).items.length).toBeGreaterThan(1);
  expect((await examine(world.store, world.now)).findings).toEqual([]);
});

test("--force rewrites the shards that no cycle read", async () => {
  await world.store.delete(shardKey(7, SHARDS));
  const worker = await takeOver({ force: true });
  await worker.cycle(START + 20_000);
  expect((await json(shardKey(7, SHARDS))).schemaVersion).toBe(1);
  expect(new Set(indexPuts())).toHaveLength(SHARDS + 1);
});

test("a lost index is put only after all its shards", async () => {
  await world.store.delete("installations");
  world.store.failPuts = (key) => key === shardOf(42);
  await world.store.delete(shardOf(42));
  const worker = await takeOver();
  await worker.cycle(START + 20_000);
  expect(await world.store.get("installations")).toBeUndefined();
  world.store.failPuts = undefined;
  await worker.cycle(START + 60_000);
  expect(await json("installations")).toEqual({ schemaVersion: 1, configured: "wheel-1", shards: SHARDS });
  expect(await world.body(telemetryOf(42))).toContain('"installationId":"wheel-42"');
});

test("a shard names a new history before anything is put under it", async () => {
  const worker = await takeOver({ newHistories: ["wheel-9"] });
  await worker.cycle(START + 20_000);
  const puts = world.store.puts.filter((key) => !key.endsWith("status.json"));
  expect(puts[0]).toBe(shardOf(9));
  expect((await json(shardOf(9))).installations["wheel-9"]).toEqual({ history: "2" });
  expect(puts).toContain("v1/public/installations/~wheel-9/observations/2/0");
});
