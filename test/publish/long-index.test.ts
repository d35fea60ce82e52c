/** One object is the index of all installations that a prefix holds (docs/spec/publishing.md#index). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { INSTALLATIONS_LIMIT } from "../../src/http/installations.ts";
import { fsck } from "../../src/verify/store/fsck.ts";
import { START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const MANY = 200;
const telemetryOf = (rowId: number) => `/v1/public/installations/wheel-${rowId}/telemetry`;
const json = async (key: string) => JSON.parse(new TextDecoder().decode((await world.store.get(key))?.body));
const indexPuts = () => world.store.puts.filter((key) => key === "installations").length;

function receive(rowId: number): void {
  world.receive(1, rowId, `wheel-${rowId}`);
}

test("a first publish puts the index once and first, with every installation", async () => {
  world.ledger.transaction(() => {
    for (let rowId = 1; rowId <= MANY; rowId++) receive(rowId);
  })();
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  expect(world.store.puts.filter((key) => key !== "status.json")[0]).toBe("installations");
  expect(indexPuts()).toBe(1);
  expect(Object.keys((await json("installations")).installations)).toHaveLength(MANY);
  for (const rowId of [1, 2, MANY]) expect(await world.body(telemetryOf(rowId)), `${rowId}`).toContain('"online"');
  expect(await world.body(telemetryOf(90_000))).toContain('"offline"');
  expect((await fsck(world.store, world.now)).findings).toEqual([]);
  await worker.stop();
});

test("a first publish that dies names installations that are not stored yet: they are 503, not offline", async () => {
  for (const rowId of [1, 2, 3]) receive(rowId);
  let indexes = 0;
  world.store.failPuts = (key) => key.includes("~wheel-3/") || (key === "installations" && indexes++ > 0);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  worker.kill();
  const statusOf = async (rowId: number) => (await world.read(telemetryOf(rowId))).status;
  expect(await Promise.all([1, 2, 3, 4].map(statusOf))).toEqual([200, 200, 503, 200]);
});

test("installations beyond the limit are not published, and are a problem in each cycle", async () => {
  for (const rowId of [1, INSTALLATIONS_LIMIT, INSTALLATIONS_LIMIT + 1]) receive(rowId);
  const worker = await world.work({ scrubInterval: 1_000 });
  const failure = {
    code: "too_many_installations",
    message: "the ledger has 10001 installations, and a prefix holds 10000: the last 1 are not published",
  };
  expect((await worker.cycle(START + 10_000)).failures).toMatchObject([failure]);
  expect(await world.body(telemetryOf(INSTALLATIONS_LIMIT))).toContain('"online"');
  expect(await world.body(telemetryOf(INSTALLATIONS_LIMIT + 1))).toContain('"offline"');
  receive(INSTALLATIONS_LIMIT + 1);
  for (let step = 1; step < 60; step++) {
    world.now += 1_000;
    await worker.publisher.scrubIfDue(world.now);
  }
  expect((await worker.cycle(world.now)).failures).toMatchObject([failure]);
  expect(world.store.puts.filter((key) => key.includes(`~wheel-${INSTALLATIONS_LIMIT + 1}/`))).toEqual([]);
  await worker.stop();
  expect((await json("status.json")).report).toMatchObject({ problems: 1, others: { count: 1 } });
});
