/** Objects that somebody else has put or copied into the store cost a read or another put, and never the publisher. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { HEAD_KEY } from "../../src/http/keys.ts";
import { StoreConflict } from "../../src/object-store/object-store.ts";
import { observationTileKey, parseObservationTileKey } from "../../src/resources/observations/route.ts";
import { unitMinted } from "../publish/activity/chain-logs.ts";
import { GrownChain, settledBlock } from "../publish/activity/grown-chain.ts";
import { INSTALLATION, START, World } from "../publish/world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

test.each([
  ["a number beyond 2^53", ["9999999999999999"]],
  ["two numbers that follow each other", ["49999998", "49999999"]],
])("a stray tile with %s does not stop a publisher without state", async (_, names) => {
  world.receive(300);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
  const stray = { body: Buffer.from("{}"), contentType: "application/json", metadata: {} };
  const prefix = observationTileKey(INSTALLATION, 0).slice(0, -1);
  for (const name of names) await world.store.put(prefix + name, stray);
  world.receive(1);
  const next = await world.work({ state: "other" });
  const { rows } = await next.cycle(START + 20_000);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  expect(await world.body(`/v1/public/installations/${INSTALLATION}/observations?cursor=MzAw`)).toContain('"MzAx"');
});

test("a key whose number is not exact is no tile", () => {
  expect(parseObservationTileKey(`${observationTileKey(INSTALLATION, 9)}${"9".repeat(15)}`)).toBeUndefined();
});

test("each object is tried again after its own conflict, however many objects conflict before it", async () => {
  const chain = new GrownChain();
  world.receive(300);
  chain.mine((block) => {
    const units = Array.from({ length: 1000 }, (_, n) => unitMinted({ blockNumber: block, logIndex: 10 + n }));
    return [...settledBlock(block, START / 1000), ...units];
  });
  chain.pass(START + 5_000);
  const worker = await world.work({ chain });
  const conflicts = new Set<string>();
  const put = world.store.put.bind(world.store);
  world.store.put = async (key, object, condition) => {
    if (key === HEAD_KEY || conflicts.has(key)) return put(key, object, condition);
    conflicts.add(key);
    throw new StoreConflict(key);
  };
  const { rows } = await worker.cycle(START + 10_000);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  expect(conflicts.size).toBeGreaterThan(30);
});
