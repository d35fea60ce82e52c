/** Nothing goes back if the chain is read less far than before (docs/spec/publishing.md#source-version). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { GrownChain } from "../activity/grown-chain.ts";
import { START, uuid, World } from "../world.ts";

let world: World;
let chain: GrownChain;
beforeEach(() => {
  world = new World();
  chain = new GrownChain();
  world.receive(5);
  world.ledger.prepare("INSERT INTO epoch_approval VALUES (1, ?, 0)").run(uuid(2));
});
afterEach(() => world.end());

const VIEWS = ["v4/public/onchain", "v1/public/activity/protocol"];
const text = async (key: string) => new TextDecoder().decode((await world.store.get(key))?.body ?? new Uint8Array());
const views = () => Promise.all(VIEWS.map(text));

/** A publisher without state whose node lacks the blocks that the first one's chain had in addition. */
async function takeOver(other: GrownChain, at: number) {
  const worker = await world.work({ chain: other, state: `lost ${at}` });
  return { worker, report: await worker.cycle(at) };
}

async function publishFirst(blocks: number): Promise<void> {
  for (let n = 0; n < blocks; n++) chain.pass(START + 50_000);
  const worker = await world.work({ chain });
  await worker.cycle(START + 60_000);
  for (const view of await views()) expect(view).toContain('"status":"available"');
  await worker.stop();
}

test("a takeover with a node that is behind keeps the views, reports chain_behind, and continues once the node has caught up", async () => {
  await publishFirst(20);
  const before = await views();
  const behind = new GrownChain();
  behind.pass(START + 61_000);
  const { worker, report } = await takeOver(behind, START + 61_000);
  expect(report.failures.map(({ code }) => code)).toEqual(["chain_behind"]);
  expect(await views()).toEqual(before);
  for (let n = 0; n < 25; n++) behind.pass(START + 62_000);
  const later = await worker.cycle(START + 62_000);
  expect(later.failures).toEqual([]);
  expect(await views()).not.toEqual(before);
});

test("during a first sync good responses stay exactly as long as they are valid", async () => {
  await publishFirst(2);
  const before = await views();
  const syncing = new GrownChain();
  syncing.isSyncing();
  const { worker } = await takeOver(syncing, START + 61_000);
  expect(await views()).toEqual(before);
  const valid = START + 50_000 + 600_000;
  await worker.cycle(valid - 1);
  expect(await views()).toEqual(before);
  await worker.cycle(valid);
  for (const view of await views()) expect(view).toContain('"unavailable"');
});
