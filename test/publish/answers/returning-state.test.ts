/** A state that returns has its former revision and a later generatedAt; nothing else differs. */
import { expect, test } from "vitest";
import { ingest } from "../../../src/ledger/ingest.ts";
import { epoch, instant, receipt, settlementControl } from "../../ledger/samples.ts";
import { GrownChain } from "../activity/grown-chain.ts";
import { START, World } from "../world.ts";

test("settlement control that is off and on again returns to its revision with a later generatedAt", async () => {
  const world = new World();
  const chain = new GrownChain();
  chain.pass(START);
  ingest(world.ledger, [receipt(1), epoch()]);
  const worker = await world.work({ chain });
  const states = [];
  for (const [index, settlementEnabled] of [true, false, true].entries()) {
    ingest(world.ledger, [settlementControl({ settlementEnabled, at: instant(index) })]);
    await worker.cycle(START + 10_000 + index * 1_000);
    const { headers, body } = await world.read("/v4/public/process");
    states.push({ etag: headers.etag, ...JSON.parse(new TextDecoder().decode(body)) });
  }
  const [first, between, again] = states;
  expect(between.revision).not.toBe(first.revision);
  expect(again).toEqual({ ...first, generatedAt: new Date(START + 12_000).toISOString() });
  expect(again.generatedAt > between.generatedAt && between.generatedAt > first.generatedAt).toBe(true);
  await worker.stop();
  world.end();
});
