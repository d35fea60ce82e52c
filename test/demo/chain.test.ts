/** The demo's chain as Noonmark reads it: it has the wheel's settlements, and continues live. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anvilBinary, NO_ANVIL } from "../../demo/chain/anvil.ts";
import { ChainSettlement } from "../../demo/chain/chain-settlement.ts";
import { buildChain, confirmedBatches } from "../../demo/chain/demo-chain.ts";
import { Node } from "../../demo/chain/node.ts";
import { BASELINE_REWARD } from "../../demo/chain/transactions.ts";
import { planOf } from "../../demo/history/plan.ts";
import type { Batch } from "../../demo/history/settlement.ts";
import { newestOf } from "../../src/chain/store/read-events.ts";
import { coreOf, economyOf, type Reader, reader } from "../support/chain/harness.ts";

const END = Date.parse("2026-11-21T11:07:13.500Z");
const plan = planOf(7, "wheel-1", END);
const directory = mkdtempSync(join(tmpdir(), "noonmark-demo-chain-"));
const start = () => Node.start(anvilBinary() ?? "", plan.genesisMs / 1000 - 3_600);

let node: Node | undefined;
let chain: Awaited<ReturnType<typeof buildChain>>;
let noonmark: Reader;
const batches = confirmedBatches(plan, END);
const last = batches.at(-1) as Batch;

beforeAll(async () => {
  if (NO_ANVIL !== undefined) return;
  node = await start();
  chain = await buildChain(node, plan, END);
  noonmark = reader(chain.cast.deployment, [node.url], { path: join(directory, "chain.db"), begins: END });
});

afterAll(async () => {
  noonmark?.chain.close();
  await node?.stop();
  rmSync(directory, { recursive: true });
});

test.skipIf(NO_ANVIL)(
  "the history's batches are settled and safe, with an upgrade, a pause and an economy",
  async () => {
    const read = await noonmark.poll();
    expect(noonmark.statuses()).toEqual(["available", "available"]);
    const { core, governance, implementation } = coreOf(read);
    expect(core).toMatchObject({
      settledThroughRound: BigInt(last.settledThroughRound),
      cumulativeWork: BigInt(last.expected.cumulativeWork),
      blockHeight: BigInt(last.expected.blockHeight),
      paused: false,
    });
    expect(governance).toMatchObject({ operationKind: "Upgrade", operationState: "Executed" });
    expect(implementation.codeVersion).toBe("2.0.0");
    expect(economyOf(read).mintedThroughRound).toBe(BigInt(last.previousSettledThroughRound));
    expect(chain.batches.settled).toHaveLength(batches.length);
  },
);

test.skipIf(NO_ANVIL)("each batch is in a block with its time, and the wheel has its transaction hash", () => {
  const settled = newestOf(noonmark.chain.db, "core", "BatchSettled", 1_000).toReversed();
  const settlement = new ChainSettlement(node as Node, chain.cast, chain.batches, END);
  expect(settled).toHaveLength(batches.length);
  for (const [index, batch] of batches.entries()) {
    const { transactionHash, blockTimestamp } = settled[index] as (typeof settled)[number];
    expect(settlement.submitted(batch, END)).toEqual({ transactionHash, submittedAt: batch.preparedAt + 2_000 });
    expect(blockTimestamp).toBe(batch.preparedAt + 12_000);
    expect(settlement.confirmedAt(batch, END)).toBe(batch.preparedAt + 152_000);
  }
  expect(newestOf(noonmark.chain.db, "core", "Paused", 9)).toHaveLength(1);
  expect(newestOf(noonmark.chain.db, "core", "Unpaused", 9)).toHaveLength(1);
});

test.skipIf(NO_ANVIL)("each batch is funded later, and there are releases, claims, units and merges", () => {
  const { db } = noonmark.chain;
  const amounts = newestOf(db, "mining", "RoundFunded", 10_000).map((event) => BigInt(event.arguments[1]?.value ?? ""));
  const funded = last.expected.blockHeight - last.expected.completedBlockCount;
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(BigInt(funded) * BASELINE_REWARD);
  for (const name of ["RoundReleased", "RewardsClaimed"]) {
    expect(newestOf(db, "mining", name, 100).length, name).toBeGreaterThan(20);
  }
  expect(newestOf(db, "collection", "UnitMinted", 100).length).toBeGreaterThan(20);
  expect(newestOf(db, "collection", "UnitsMerged", 100).length).toBeGreaterThan(5);
});

test.skipIf(NO_ANVIL)("a live batch is confirmed at depth twelve", async () => {
  const live = new ChainSettlement(node as Node, chain.cast, chain.batches, END);
  const batch = after(last, 3, 1_500);
  let now = END + 60_000;
  expect(live.submitted(batch, now)).toBeUndefined();
  await live.step(now);
  const sent = live.submitted(batch, now);
  expect(sent).toMatchObject({ submittedAt: now });
  for (let blocks = 1; blocks < 12; blocks++) {
    expect(live.confirmedAt(batch, now)).toBeUndefined();
    expect(coreOf(await noonmark.poll()).core.settledThroughRound).toBe(BigInt(last.settledThroughRound));
    now += 4_000;
    await live.step(now);
  }
  expect(live.confirmedAt(batch, now)).toBe(now);
  expect(coreOf(await noonmark.poll()).core.settledThroughRound).toBe(BigInt(batch.settledThroughRound));
  const head = node?.head.number;
  await live.step(now + 4_000);
  expect(node?.head.number).toBe(head);
});

test.skipIf(NO_ANVIL)("the same plan gives the same transaction hashes", async () => {
  const end = plan.from + 3 * 86_400_000;
  const hashes = async () => {
    const another = await start();
    try {
      return [...(await buildChain(another, plan, end)).batches.sent];
    } finally {
      await another.stop();
    }
  };
  const first = await hashes();
  expect(first.length).toBeGreaterThan(20);
  expect(await hashes()).toEqual(first);
});

/** The next batch with this many rounds, all active. */
function after({ settledThroughRound, expected }: Batch, rounds: number, workAdded: number): Batch {
  const cumulativeWork = expected.cumulativeWork + workAdded;
  const blockHeight = Math.floor(cumulativeWork / plan.workPerBlock);
  return {
    submissionId: `after-${settledThroughRound}`,
    previousSettledThroughRound: settledThroughRound,
    settledThroughRound: settledThroughRound + rounds,
    activeRoundCount: rounds,
    workAdded,
    expected: {
      cumulativeWork,
      blockHeight,
      currentWork: cumulativeWork % plan.workPerBlock,
      completedBlockCount: blockHeight - expected.blockHeight,
    },
    preparedAt: END,
  };
}

test.skipIf(NO_ANVIL !== undefined)("a node behind a launcher, as npm installs anvil, ends with the demo", async () => {
  const launcher = join(directory, "anvil");
  writeFileSync(launcher, `#!/bin/sh\n"${anvilBinary()}" "$@"\nexit $?\n`, { mode: 0o755 });
  const own = await Node.start(launcher, plan.genesisMs / 1000);
  await own.stop();
  await expect(fetch(own.url, { method: "POST" })).rejects.toThrow("fetch failed");
});
