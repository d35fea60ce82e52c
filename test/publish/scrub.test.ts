/** A continuous publisher checks its objects one by one (docs/spec/publishing.md#scrub). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { activityKey, CATEGORIES } from "../../src/resources/activity/route.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { unitMinted } from "./activity/chain-logs.ts";
import { GrownChain } from "./activity/grown-chain.ts";
import { INSTALLATION, SIGNER, START, type Worker, World } from "./world.ts";

const SECOND = 1_000;
const AT = START + 910 * SECOND;

let world: World;
let chain: GrownChain;
let worker: Worker;
beforeEach(async () => {
  world = new World();
  chain = new GrownChain();
  world.receive(300);
  world.receive(3, 2, "wheel-2");
  chain.mine((blockNumber) =>
    Array.from({ length: 300 }, (_, logIndex) => unitMinted({ blockNumber, logIndex, blockTimestamp: 1_700_000_000 })),
  );
  chain.pass(AT);
  worker = await world.work({ chain, scrubInterval: SECOND });
  await worker.cycle(AT);
});
afterEach(async () => {
  await worker.stop();
  chain.db.close();
  world.end();
});

/** Idle ticks one second apart, with a cycle after each finding. Returns the rewritten keys. */
async function turns(count: number): Promise<string[]> {
  const rewritten: string[] = [];
  for (let n = 0; n < count; n++) {
    world.now += SECOND;
    await worker.publisher.renewIfDue(undefined);
    await worker.publisher.scrubIfDue(world.now);
    if (worker.publisher.isIdle(world.now)) continue;
    const { rows } = await worker.cycle(world.now);
    rewritten.push(...rows.flatMap(({ key, why }) => (why === "missing or damaged in the store" ? [key] : [])));
  }
  return rewritten;
}

const objects = async () => {
  const keys: string[] = [];
  for await (const key of world.store.list("")) keys.push(key);
  return keys.filter((key) => !key.endsWith("status.json"));
};

/** A rewritten response is as of now. */
const text = async (key: string) =>
  new TextDecoder().decode((await world.store.get(key))?.body).replace(/"generatedAt":"[^"]*"/, "");

/** Checks for a round over all objects. */
const round = (keys: readonly string[]) => keys.length + 1;

test("a round reads each object, one per second, and leaves intact ones unchanged", async () => {
  const keys = await objects();
  world.store.gets.length = 0;
  world.store.puts.length = 0;
  await turns(round(keys));
  const read = world.store.gets.map((key) => key.replace("?fresh", ""));
  expect(new Set(read)).toEqual(new Set([...keys, "standby.json"]));
  // Taking the lease and each renewal are followed by two gets. A renewal is preceded by one for a standby.
  const renewals = world.store.puts.filter((key) => key === "status.json").length;
  expect(read).toHaveLength(round(keys) + 2 + 3 * renewals);
  expect(world.store.puts.filter((key) => keys.includes(key) && key.includes("/tiles/"))).toEqual([]);
});

const CONSTANT = "v4/public/onchain/unavailable";
const TEMPLATE = "v1/public/installations/telemetry";

test.each([
  [INSTALLATIONS_KEY, 11],
  [TEMPLATE, 71],
  [CONSTANT, 71],
])("%s, which many responses need, is rewritten within %d s, however long a round is", async (key, seconds) => {
  for (let rowId = 3; rowId < 200; rowId++) world.receive(1, rowId, `wheel-${rowId}`);
  await worker.cycle(world.now);
  // The round that began has passed its first objects.
  await turns(60);
  await world.store.delete(key);
  expect(await turns(seconds)).toContain(key);
});

test("two checks are at least the interval apart, and an interval of 0 disables them", async () => {
  await turns(1);
  world.store.gets.length = 0;
  world.now += SECOND;
  await worker.publisher.scrubIfDue(world.now);
  await worker.publisher.scrubIfDue(world.now + SECOND - 1);
  expect(world.store.gets).toHaveLength(1);
  expect(worker.publisher.scrubbed).toBe(2);
  const idle = await world.work({ chain: new GrownChain(), state: "other", store: world.store }).catch(() => undefined);
  expect(idle).toBeUndefined();
});

test.each([
  ["a full tile of observations", observationTileKey(INSTALLATION, 1, 0)],
  ["the newest tile of observations", observationTileKey(INSTALLATION, 1, 2)],
  ["another installation's telemetry", installationTelemetryKey("wheel-2")],
  ["another installation's tile", observationTileKey("wheel-2", 1, 0)],
  ["the index", INSTALLATIONS_KEY],
  ["a head of the activity", activityKey("players")],
])("if %s is deleted or damaged without a new fact, it is rewritten within a round", async (_, key) => {
  const before = await text(key);
  const count = round(await objects());
  await world.store.delete(key);
  expect(await turns(count)).toContain(key);
  expect(await text(key)).toEqual(before);
  world.store.damage(key);
  expect(await turns(count)).toContain(key);
  expect(await text(key)).toEqual(before);
});

test("a deleted activity tile is rewritten under its name within a round", async () => {
  const tiles = (await objects()).filter((key) => key.includes("/tiles/"));
  expect(tiles.length).toBeGreaterThanOrEqual(CATEGORIES.length);
  const [key = ""] = tiles;
  await world.store.delete(key);
  expect(await turns(round(await objects()))).toContain(key);
  expect(await objects()).toContain(key);
});

test("a partial file of a signed log that was rightly deleted since its round began is not missing", async () => {
  await worker.stop();
  worker = await world.work({ chain, scrubInterval: SECOND, signers: [SIGNER] });
  await worker.cycle(AT + SECOND);
  const partial = "log/1/tile/entries/001.p/47";
  expect(await objects()).toContain(partial);
  const isChecked = (key: string) => world.store.gets.includes(`${key}?fresh`);
  const limit = round(await objects());
  for (let n = 0; n < limit && !isChecked("log/1/tile/entries/000"); n++) await turns(1);
  expect(isChecked(partial)).toBe(false);
  world.receive(300);
  await worker.cycle((world.now += SECOND));
  await worker.cycle((world.now += 3_601 * SECOND));
  expect(await objects()).not.toContain(partial);
  expect(await turns(limit)).toEqual([]);
  expect(isChecked(partial)).toBe(true);
  expect(worker.known.tiles.faulty("log/1/")).toEqual([]);
});

test("an older index that returns while nothing changes gets every name back", async () => {
  const before = await world.store.get(INSTALLATIONS_KEY);
  if (before === undefined) throw new Error("there is no index");
  world.receive(3, 3, "wheel-3");
  await worker.cycle(AT + SECOND);
  const named = async () => JSON.parse(await text(INSTALLATIONS_KEY)).installations;
  expect(await named()).toContain("wheel-3");
  await world.store.put(INSTALLATIONS_KEY, before);
  await turns(round(await objects()));
  expect(await named()).toContain("wheel-3");
});
