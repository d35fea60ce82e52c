// A long chain history is read in steps between other work, and is planned once it is complete.
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { readWatermarks } from "../../../src/ledger/watermarks.ts";
import { lacksReceipts } from "../../../src/projections/advance.ts";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { activityContext, areTilesCut } from "../../../src/resources/activity/tiles.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { statement } from "../../../src/sqlite/statement.ts";
import { KINDS, unitMinted } from "../activity/chain-logs.ts";
import { GrownChain } from "../activity/grown-chain.ts";
import { INSTALLATION, START, World } from "../world.ts";

const LOGS_OF_A_BLOCK = 40;
const BLOCKS = 250;

let world: World;
let chain: GrownChain;
let reader: SourceReader;
beforeEach(() => {
  world = new World();
  chain = new GrownChain();
  for (let n = 0; n < BLOCKS; n++) {
    chain.mine((blockNumber) =>
      Array.from({ length: LOGS_OF_A_BLOCK }, (_, logIndex) =>
        (KINDS[logIndex % KINDS.length] ?? unitMinted)({ blockNumber, logIndex }),
      ),
    );
  }
  chain.pass(START);
  reader = new SourceReader({
    installationId: INSTALLATION,
    ledger: new LedgerSource(world.ledgerPath),
    projections: ownProjections(join(world.folder, "state"), { whole: false }),
    chain,
    genesisTimestamp: undefined,
  });
});
afterEach(() => {
  reader.close();
  chain.db.close();
  world.end();
});

/** Advances as a cycle does. `during` is the other work and gets the number of steps so far. Returns all steps. */
async function advance(use: (snapshot: Snapshot) => void, during: (turn: number) => void): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const turn = (): void => {
    during(++turns);
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  try {
    await reader.begin(START).advance(use);
    return turns;
  } finally {
    clearImmediate(next);
  }
}

/** Throws if a partly read chain history would be planned. */
function expectWhole({ projections }: Snapshot, blocks: number): void {
  const count = statement(projections, "SELECT count(*) FROM activity_event WHERE category <> 'measurement'").pluck();
  expect(count.get()).toBe(blocks * LOGS_OF_A_BLOCK);
  const context = activityContext(INSTALLATION, chain.state());
  if (context === undefined) throw new Error("this chain is available");
  for (const category of CATEGORIES) expect(areTilesCut({ projections, category, context })).toBe(true);
}

test("a long history is planned once it is complete, with the facts that arrived meanwhile", async () => {
  let plans = 0;
  const turns = await advance(
    (snapshot) => {
      plans++;
      expectWhole(snapshot, BLOCKS);
      const { ledger, projections } = snapshot;
      expect(ledger && readWatermarks(ledger, 1).receipt).toBe(5);
      expect(lacksReceipts(projections, { ledger, installationId: INSTALLATION })).toBe(false);
    },
    (turn) => turn === 5 && world.receive(5),
  );
  expect(plans).toBe(1);
  // More than one cycle projects from the ledger.
  expect(turns).toBeGreaterThan(40);
});
