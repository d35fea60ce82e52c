/** What follows the ledger changes the same rows with each receipt: they are committed now and then. */
import { cpSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../../src/chain/chain.ts";
import { followedReceipts } from "../../../src/projections/activity/milestone-state.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

function readerOver(state: string): SourceReader {
  return new SourceReader({
    installationId: INSTALLATION,
    ledger: new LedgerSource(world.ledgerPath),
    projections: ownProjections(join(world.folder, state), { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
}

const walBytes = () => statSync(join(world.folder, "state", "projections.db-wal")).size;
const positionOf = (reader: SourceReader) =>
  reader.begin(START).snapshot(({ projections }) => followedReceipts(projections)?.position);

test("the steps of twenty seconds are one commit, and a killed process derives them again", async () => {
  const reader = readerOver("state");
  world.receive(1);
  await reader.begin(START).advance(() => {});
  reader.saveIfDue(0);
  reader.saveIfDue(20_000);
  const before = walBytes();
  for (let second = 1; second < 20; second++) {
    world.receive(1);
    await reader.begin(START + second * 3_000).advance(() => {});
    reader.saveIfDue(20_000 + second * 1_000);
    expect(walBytes()).toBe(before);
  }
  expect(positionOf(reader)).toBe(20);
  cpSync(join(world.folder, "state"), join(world.folder, "killed"), { recursive: true });
  const killed = readerOver("killed");
  expect(positionOf(killed)).toBe(1);
  await killed.begin(START + 60_000).advance(() => {});
  expect(positionOf(killed)).toBe(20);
  killed.close();
  reader.saveIfDue(41_000);
  expect(walBytes()).toBeGreaterThan(before);
  reader.close();
});
