/**
 * The responses of twelve fixed worlds, through the shim: status, headers and bytes of every route, now, at each
 * instant at which time alone changes a response, and an hour later. A change of the product that readers should not
 * notice leaves every hash in recorded/ as it is. CONTRIBUTING.md#golden-readers says how to see a difference.
 */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { planFrom } from "../../demo/history/plan.ts";
import type { Settlement } from "../../demo/history/settlement.ts";
import { DAY, HOUR, MINUTE } from "../../demo/history/story.ts";
import { Wheel } from "../../demo/history/wheel.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import {
  closure,
  epoch,
  instant,
  type Json,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
} from "../ledger/samples.ts";
import type { Action } from "../support/chain/simulated-chain.ts";
import { fetchFrom, type SimulatedNode } from "../support/chain/simulated-node.ts";
import { GoldenWorld, SAFE, START } from "./golden-world.ts";

let nodes: SimulatedNode[] = [];
beforeEach(
  () =>
    void vi.stubGlobal(
      "fetch",
      fetchFrom(() => nodes),
    ),
);
afterEach(() => {
  vi.unstubAllGlobals();
  nodes = [];
});

function goldenTest(name: string, live: (world: GoldenWorld) => Promise<void>, genesis = START): void {
  test(name, async () => {
    const world = new GoldenWorld(name.replaceAll(" ", "-"), genesis);
    nodes = [world.node];
    await live(world);
    await expect(await world.end()).toMatchFileSnapshot(join("recorded", `${name.replaceAll(" ", "-")}.txt`));
  });
}

const settle = (rounds: number, work: number, active = Math.min(16, rounds)): Action => ({
  is: "settle",
  rounds: BigInt(rounds),
  activeRounds: BigInt(active),
  work: BigInt(work),
});

/** Receipts with the numbers `from` to `to`, which reach milestones. */
const receipts = (from: number, to: number, changes: Json = {}): Json[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).map((n) =>
    receipt(n, { distanceMm: 40_000 * n, ...changes }),
  );

/** Closed and accepted rounds. Each has `work` and ends 600 s after the one before. */
const rounds = (from: number, to: number, work = 600): Json[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const closedAt = instant(600 * (from + index + 1));
    return round(from + index, { workUnits: String(work), closedAt });
  }).concat(closure(from, to, { acceptedAt: instant(600 * (to + 1) + 5) }));

/** Nineteen minutes of receipts, six rounds, a module, and a queue that is ready. */
const facts = (): Json[] => [
  epoch(),
  ...receipts(1, 380),
  module(),
  ...rounds(1, 6),
  reporterRun({ startedAt: instant(3_500), finishedAt: instant(3_510) }),
  settlementControl(),
];

/** The demo's month up to `end`, settled on the chain as its Reporter says. */
async function month(world: GoldenWorld, from: number, end: number): Promise<void> {
  const plan = { ...planFrom(7, "wheel-1", from, from + 5 * HOUR), historyStep: 2 * MINUTE };
  const settlement: Settlement = {
    submitted: ({ submissionId, preparedAt }, at) =>
      at < preparedAt + 2_000
        ? undefined
        : {
            transactionHash: `0x${submissionId.replaceAll("-", "").padStart(64, "0")}`,
            submittedAt: preparedAt + 2_000,
          },
    confirmedAt({ previousSettledThroughRound: previous, settledThroughRound: last, ...batch }, at) {
      if (at < batch.preparedAt + 152_000) return undefined;
      const { head } = world.chain.branch;
      const seconds = Math.max(1, Math.floor((batch.preparedAt + 2_000) / 1000) - head.timestamp);
      world.mine([[settle(last - previous, batch.workAdded, batch.activeRoundCount)]], { seconds, empty: 0 });
      return batch.preparedAt + 152_000;
    },
  };
  world.mine([[]], { empty: 3 });
  const wheel = new Wheel(plan, { settlement });
  world.world.now = end;
  world.take(wheel.history(end));
  world.mine([[{ is: "fund", rounds: 4_000n, amount: 90n }]]);
  await world.start();
  await world.step("month");
  world.take(wheel.nextLive(world.world.now + 10 * MINUTE));
  await world.step("ten-minutes-later", 10 * MINUTE);
  await world.step("two-hours-later", 2 * HOUR);
}

const NOON = Date.parse("2026-10-20T12:00:00.000Z");
goldenTest("a month aligned", (world) => month(world, NOON, NOON + 30 * DAY), NOON);
goldenTest(
  "a month crossing",
  (world) => month(world, NOON - 4 * HOUR, NOON + 29 * DAY + 23 * HOUR + 55 * MINUTE),
  NOON - 4 * HOUR,
);

goldenTest("empty", async (world) => {
  await world.start();
  await world.step("first");
  await world.step("an-hour-later", HOUR);
});

goldenTest("no chain", async (world) => {
  world.take(facts());
  await world.start({ withChain: false });
  await world.step("first");
  world.take([...receipts(381, 400), ...rounds(7, 7)]);
  await world.step("more", 5 * MINUTE);
});

goldenTest("a node goes silent and comes back", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 1_200)]]);
  await world.start();
  await world.step("good");
  world.node.fault = "silent";
  await world.step("silent", 20_000);
  await world.step("silent-for-eleven-minutes", 11 * MINUTE);
  world.node.heal(world.chain);
  world.mine([[settle(2, 1_200)]]);
  await world.step("back", MINUTE);
});

goldenTest("a fork", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 1_200)], [{ is: "units", count: 5 }]]);
  await world.start();
  await world.step("main-branch");
  const { head } = world.chain.branch;
  // Above the safe block, then below it.
  world.chain.branch = world.chain.branch.cut(head.number - 5);
  world.mine([[settle(1, 600)]]);
  await world.step("fork-above-the-safe-block", 20_000);
  world.chain.branch = world.chain.branch.cut(head.number - SAFE - 2);
  world.mine([[settle(1, 500)]], { empty: 30 });
  await world.step("fork-below-the-safe-block", 20_000);
  await world.step("eleven-minutes-later", 11 * MINUTE);
});

goldenTest("a mint is pending", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 2_200)], [settle(2, 1_400)]]);
  await world.start();
  await world.step("pending");
  world.mine([[{ is: "fund", rounds: 2n, amount: 9n }, { is: "release" }]]);
  await world.step("half-funded", MINUTE);
  world.mine([[{ is: "fund", rounds: 9n, amount: 5n }, { is: "claim" }]]);
  await world.step("funded", MINUTE);
});

goldenTest("an upgrade", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 1_200)], [{ is: "units", count: 300 }]]);
  await world.start();
  await world.step("before");
  world.mine([[{ is: "pause" }], [{ is: "upgrade" }], [{ is: "pause" }]]);
  await world.step("after", MINUTE);
});

goldenTest("two installations", async (world) => {
  const other = { installationId: "wheel-2" };
  world.take([...facts(), epoch(other), ...receipts(1001, 1300, other)]);
  await world.start();
  await world.step("first");
  world.take(receipts(1301, 1301, { ...other, receivedAt: instant(HOUR / 1000) }));
  await world.step("one-more");
  await world.start({ installationId: "wheel-1", state: "lost" });
  await world.step("without-state");
});

goldenTest("a queue that blocks", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 1_200)]]);
  await world.start();
  await world.step("ready");
  world.take([settlementControl({ blockedReason: "incident", incidentOpen: true, at: instant(3_601) })]);
  await world.step("blocked");
  const at = instant(3_610);
  world.take([
    settlementControl({ at: instant(3_605) }),
    submission({
      previousSettledThroughRound: "2",
      settledThroughRound: "6",
      activeRoundCount: 4,
      expected: { cumulativeWork: "3600", blockHeight: "3", currentWork: "600", completedBlockCount: "2" },
      preparedAt: at,
    }),
  ]);
  await world.step("preparing", 10_000);
  world.take([oracle({ at: instant(3_615) }), settlementControl({ settlementEnabled: false, at: instant(3_620) })]);
  await world.step("disabled", 10_000);
});

goldenTest("a stale device", async (world) => {
  world.take([...facts(), ...receipts(1199, 1200)]);
  world.mine([[], [], [], [settle(2, 1_200)]]);
  await world.start();
  await world.step("online");
  await world.step("stale", 10 * MINUTE);
  world.take(receipts(1500, 1500, { coreStatus: "COUNTER_FAULT" }));
  await world.step("counter-fault", 10 * MINUTE);
  world.take(receipts(1600, 1600));
  await world.step("back", 5 * MINUTE);
});

goldenTest("a lost ledger", async (world) => {
  world.take(facts());
  world.mine([[], [], [], [settle(2, 1_200)]]);
  await world.start();
  await world.step("first");
  const path = join(world.world.folder, "restored.db");
  const restored = { path, db: openLedgerForIntake(path) };
  const first = { path: world.world.ledgerPath, db: world.world.ledger };
  world.use(restored);
  world.take(facts().slice(0, 300));
  await world.start();
  await world.step("behind", MINUTE);
  await world.step("behind-for-an-hour", HOUR);
  restored.db.close();
  world.use(first);
  world.take(receipts(2500, 2500));
  await world.start();
  await world.step("whole-again", MINUTE);
});
