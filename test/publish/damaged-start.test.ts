/** Well sealed objects that are none of ours (docs/spec/publishing.md#damage): said by their key, put anew, fatal to nobody. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { activityKey } from "../../src/resources/activity/keys.ts";
import { observationTileKey } from "../../src/resources/observations/keys.ts";
import { putText } from "../support/publish-answer.ts";
import { GrownChain } from "./activity/grown-chain.ts";
import { INSTALLATION, START, World } from "./world.ts";

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

async function withAsof(key: string, asof: string): Promise<void> {
  const found = await world.store.get(key);
  if (found === undefined) throw new Error(`${key} is not there`);
  const { tag: _, ...object } = found;
  await world.store.put(key, { ...object, metadata: { ...object.metadata, asof } });
}

const DAMAGES: Record<string, { key: string; damage: (key: string) => Promise<void> }> = {
  "an index of nothing": { key: "installations", damage: (key) => putText(world.store, key, "{}") },
  "an index that is no JSON": { key: "installations", damage: (key) => putText(world.store, key, "<html>") },
  "telemetry from an array": { key: "v1/public/telemetry", damage: (key) => withAsof(key, "[]") },
  "process from no JSON": { key: "v4/public/process", damage: (key) => withAsof(key, "{") },
  "the index from an array": { key: "installations", damage: (key) => withAsof(key, "[]") },
  "a damaged activity head": { key: activityKey("all"), damage: async (key) => world.store.damage(key) },
  "damaged settlements": { key: "v4/public/settlements/7d", damage: async (key) => world.store.damage(key) },
};

test.each(Object.entries(DAMAGES))("%s", async (_, { key, damage }) => {
  const before = await bodies();
  await damage(key);
  // With the state lost, what stands has to be read; with it kept, `--force` meets it.
  const worker = await world.work({ chain, state: "lost" });
  const { rows, failures } = await worker.cycle(START + 1_000_000);
  expect(failures).toEqual([]);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  expect(rows.find((row) => row.key === key)).toMatchObject({ action: "updated", why: "damaged in the store" });
  expect(await bodies()).toEqual(before);
  await worker.stop();
});

test("another installation's telemetry from null is put anew when that one moves", async () => {
  const key = "v1/public/installations/~wheel-2/telemetry";
  await withAsof(key, "null");
  const worker = await world.work({ chain, state: "lost" });
  world.receive(1, 2, "wheel-2");
  const { rows } = await worker.cycle(START + 1_000_000);
  expect(rows.find((row) => row.key === key)).toMatchObject({ action: "updated" });
  expect(JSON.parse((await world.store.get(key))?.metadata.asof ?? "null")).toMatchObject({ at: START + 1_000_000 });
  await worker.stop();
});

test("the newest tile from an array: the history goes on", async () => {
  await withAsof(observationTileKey(INSTALLATION, "1", 2), "[]");
  const worker = await world.work({ chain, state: "lost" });
  world.receive(5);
  const { rows } = await worker.cycle(START + 1_000_000);
  expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
  const page = JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations?limit=100`));
  expect(page.items).toHaveLength(100);
  await worker.stop();
});
