/**
 * Objects with a correct seal and a wrong body (docs/spec/publishing.md#damage) are rewritten. `--force` reads every
 * tile.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLogKey } from "../../src/http/keys.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { activityKey } from "../../src/resources/activity/route.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { putText } from "../support/publish-response.ts";
import { GrownChain } from "./activity/grown-chain.ts";
import { INSTALLATION, receive, START, World } from "./world.ts";

let world: World;
let chain: GrownChain;
beforeEach(async () => {
  world = new World();
  chain = new GrownChain();
  chain.pass(START);
  world.receive(300);
  world.receive(3, 2, "wheel-2");
  const worker = await world.work({ chain });
  await worker.cycle(START + 1_000_000);
  await worker.stop();
});
afterEach(() => world.end());

const bodies = async () => {
  const found = new Map<string, string>();
  for await (const key of world.store.list("")) {
    if (!key.endsWith("status.json")) found.set(key, Buffer.from((await world.store.get(key))?.body ?? "").toString());
  }
  return found;
};

async function withSourceVersion(key: string, sourceVersion: string): Promise<void> {
  const found = await world.store.get(key);
  if (found === undefined) throw new Error(`${key} is not there`);
  const { tag: _, ...object } = found;
  await world.store.put(key, { ...object, metadata: { ...object.metadata, "source-version": sourceVersion } });
}

const DAMAGES: Record<string, { key: string; damage: (key: string) => Promise<void> }> = {
  "an empty object as index": { key: "installations", damage: (key) => putText(world.store, key, "{}") },
  "an index that is not JSON": { key: "installations", damage: (key) => putText(world.store, key, "<html>") },
  "telemetry with an array as source version": {
    key: "v1/public/telemetry",
    damage: (key) => withSourceVersion(key, "[]"),
  },
  "process with an invalid source version": { key: "v4/public/process", damage: (key) => withSourceVersion(key, "{") },
  "the index with an array as source version": { key: "installations", damage: (key) => withSourceVersion(key, "[]") },
  "a damaged index": { key: "installations", damage: async (key) => world.store.damage(key) },
  "damaged telemetry": { key: "v1/public/telemetry", damage: async (key) => world.store.damage(key) },
  "a damaged process": { key: "v4/public/process", damage: async (key) => world.store.damage(key) },
  "a damaged activity head": { key: activityKey("all"), damage: async (key) => world.store.damage(key) },
  "damaged settlements": { key: "v4/public/settlements/7d", damage: async (key) => world.store.damage(key) },
};

test.each(Object.entries(DAMAGES))("a publisher starts despite a damaged object: %s", async (_, { key, damage }) => {
  const before = await bodies();
  await damage(key);
  // Without state it must read the stored object. With state, only `--force` reads it.
  const worker = await world.work({ chain, state: "lost" });
  const { rows, failures } = await worker.cycle(START + 1_000_000);
  expect(failures).toEqual([]);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  expect(rows.find((row) => row.key === key)).toMatchObject({
    action: "updated",
    why: "missing or damaged in the store",
  });
  expect(await bodies()).toEqual(before);
  await worker.stop();
});

const NEWEST_TILE = observationTileKey(INSTALLATION, 1, 2);
const ANOTHER = "v1/public/installations/~wheel-2/telemetry";

test.each<[string, () => unknown]>([
  ["has the source version null", () => withSourceVersion(ANOTHER, "null")],
  ["is damaged", () => world.store.damage(ANOTHER)],
])("another installation's telemetry that %s is rewritten at its next fact", async (_, damage) => {
  await damage();
  const worker = await world.work({ chain, state: "lost" });
  world.receive(1, 2, "wheel-2");
  const { rows } = await worker.cycle(START + 1_000_000);
  expect(rows.find((row) => row.key === ANOTHER)).toMatchObject({ action: "updated" });
  expect(JSON.parse((await world.store.get(ANOTHER))?.metadata["source-version"] ?? "null")).toMatchObject({
    at: START + 1_000_000,
  });
  await worker.stop();
});

test.each<[string, () => unknown]>([
  ["has an array as its source version", () => withSourceVersion(NEWEST_TILE, "[]")],
  ["is damaged", () => world.store.damage(NEWEST_TILE)],
])("a history continues if its newest tile %s", async (_, damage) => {
  await damage();
  const worker = await world.work({ chain, state: "lost" });
  world.receive(5);
  const { rows } = await worker.cycle(START + 1_000_000);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  const page = JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations?limit=100`));
  expect(page.items).toHaveLength(100);
  await worker.stop();
});

const LOST: Record<string, (key: string) => unknown> = {
  damaged: (key) => world.store.damage(key),
  deleted: (key) => world.store.delete(key),
};
const OWN = [
  "v1/public/telemetry",
  "v4/public/process",
  "v2/public/stats/7d",
  "v4/public/onchain/unavailable",
  activityKey("all"),
  "v1/public/installations/telemetry",
  NEWEST_TILE,
];

test.each(OWN.flatMap((key) => Object.keys(LOST).map((how) => [how, key] as const)))(
  "a start with state and without new facts finds %s %s and rewrites it",
  async (how, key) => {
    const before = await bodies();
    await LOST[how]?.(key);
    const worker = await world.work({ chain });
    const { rows, failures } = await worker.cycle(START + 1_000_000);
    expect([failures, rows.filter(({ action }) => action === "failed")]).toEqual([[], []]);
    const put = rows.filter(({ action }) => action === "updated" || action === "created").map((row) => row.key);
    expect(put).toEqual([key]);
    expect(await bodies()).toEqual(before);
    await worker.stop();
  },
);

test("a lost object is not rewritten from a ledger that is behind it", async () => {
  await world.store.delete("v4/public/process");
  const ledgerPath = `${world.folder}/older.db`;
  const older = openLedgerForIntake(ledgerPath);
  receive(older, 5, { rowId: 1, id: INSTALLATION });
  older.close();
  const worker = await world.work({ chain, ledgerPath });
  const { failures } = await worker.cycle(START + 1_000_000);
  expect(failures.map(({ code }) => code)).toContain("ledger_behind");
  expect(await world.store.get("v4/public/process")).toBeUndefined();
  await worker.stop();
});

test("a start with state reads each response of the configured installation once, and no other installation's", async () => {
  world.store.gets.length = 0;
  const worker = await world.work({ chain });
  const read = world.store.gets.map((key) => key.replace("?fresh", "")).filter((key) => !key.endsWith("status.json"));
  expect(read.length).toBeLessThan(50);
  expect(read.filter((key) => key.includes("wheel-2"))).toEqual([]);
  // The owner of the prefix is checked before the lease is taken, with reads of its own.
  const once = read.filter((key) => key !== "installations" && !isLogKey(key));
  expect(once).toHaveLength(new Set(once).size);
  await worker.stop();
});

const TILE = observationTileKey(INSTALLATION, 1, 0);

test("a full tile with another ledger's receipts is rewritten", async () => {
  const found = await world.store.get(TILE);
  if (found === undefined) throw new Error("no tile");
  const { tag: _, ...object } = found;
  const other = Buffer.from(found.body).toString().replaceAll('"softwareVersion":"1.4.2"', '"softwareVersion":"9.9.9"');
  await world.store.put(TILE, { ...object, body: Buffer.from(other) });
  const worker = await world.work({ chain, force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(rows.find(({ key }) => key === TILE)).toMatchObject({ action: "updated" });
  expect((await world.store.get(TILE))?.body).toEqual(found.body);
  await worker.stop();
});

test("--force with state reads every tile and rewrites missing and damaged ones", async () => {
  const keys = [0, 1, 2].map((tile) => observationTileKey(INSTALLATION, 1, tile));
  const before = await Promise.all(keys.map((key) => world.store.get(key)));
  await world.store.delete(keys[0] ?? "");
  world.store.damage(keys[1] ?? "");
  world.store.damage(keys[2] ?? "");
  const worker = await world.work({ chain, force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(
    rows
      .filter(({ why }) => why === "missing or damaged in the store")
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(keys);
  const after = await Promise.all(keys.map((key) => world.store.get(key)));
  expect(after.map((one) => one?.body)).toEqual(before.map((one) => one?.body));
  world.receive(10);
  await worker.stop();
  const next = await world.work({ chain });
  expect((await next.cycle(START + 1_010_000)).rows.filter(({ action }) => action === "failed")).toEqual([]);
  await next.stop();
});
