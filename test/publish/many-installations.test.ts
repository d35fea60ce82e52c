/** A cycle's cost depends on the dirty installations only (docs/spec/publishing.md#ten-thousand). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const OTHERS = 150;
const key = (rowId: number) => installationTelemetryKey(`wheel-${rowId}`);

/** `wheel-1` (the configured installation) and `OTHERS` more, with one receipt each. */
async function published() {
  world.receive(1);
  for (let rowId = 2; rowId <= OTHERS + 1; rowId++) world.receive(1, rowId, `wheel-${rowId}`);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  return worker;
}

const putsSince = (before: number) =>
  world.store.puts.slice(before).filter((put) => put !== "private/head.json" && !put.includes("/log/"));

test("the first cycle publishes every installation, and the next one only dirty installations", async () => {
  const worker = await published();
  for (const rowId of [2, 64, 65, 66, 130, OTHERS + 1])
    expect(await world.store.get(key(rowId)), `${rowId}`).toBeDefined();
  const { gets, puts } = world.store;
  const before = { gets: gets.length, puts: puts.length };
  world.receive(1, 70, "wheel-70");
  const { rows } = await worker.cycle(START + 11_000);
  expect(putsSince(before.puts)).toEqual(["v1/public/installations/~wheel-70/observations/0", key(70)]);
  expect(gets.length).toBe(before.gets);
  const others = rows.filter((row) => row.key.includes("~wheel-")).map((row) => row.key);
  expect(others.toSorted()).toEqual(["v1/public/installations/~wheel-70/observations/0", key(70)]);
});

test("after lost state the configured installation is put before any other one is read", async () => {
  await (await published()).stop();
  world.receive(1);
  const worker = await world.work({ state: "lost" });
  const { gets, puts } = world.store;
  const before = { gets: gets.length, puts: puts.length };
  let requests: string[] = [];
  world.store.failPuts = (put) => {
    if (put !== "private/head.json" && !put.includes("/log/") && requests.length === 0)
      requests = gets.slice(before.gets);
    return false;
  };
  await worker.cycle(START + 11_000);
  expect(requests.length).toBeLessThanOrEqual(5);
  expect(requests.some((get) => get.includes("wheel-2/"))).toBe(false);
  expect(world.store.puts.slice(before.puts)).not.toContain("installations");
});

test("the search finds damage of installations that a publisher without state has not planned", async () => {
  await (await published()).stop();
  await world.store.delete(key(99));
  await world.store.delete("v1/public/installations/~wheel-120/observations/0");
  const next = await world.work({ state: "lost" });
  await next.cycle(START + 11_000);
  expect(await world.store.get(key(99))).toBeUndefined();
  for (let second = 12; second < 12 + 16 * OTHERS; second += 5) {
    const at = START + second * 1_000;
    world.now = at;
    await next.publisher.renewIfDue();
    await next.publisher.scrubIfDue(at);
    if (!next.publisher.isIdle(at)) await next.cycle(at);
  }
  expect(await world.store.get(key(99))).toBeDefined();
  expect(await world.store.get("v1/public/installations/~wheel-120/observations/0")).toBeDefined();
  expect(next.publisher.isIdle(world.now)).toBe(true);
  await next.stop();
});
