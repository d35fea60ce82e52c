// The chain's health after passes, as tables of outcomes, without clock, file or node.
import { describe, expect, test } from "vitest";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import * as health from "../../../src/chain/sync/health.ts";
import type { BrokenPass, PassOutcome } from "../../../src/chain/sync/pass-types.ts";
import { chainState } from "../../../src/chain/sync/view-state.ts";
import { address, coreView, economyView, hash } from "../../support/chain/chain-state.ts";

const GRACE = 15_000;
const VALIDITY = 600_000;
const T0 = 1_000_000;
const deployment = deploymentSchema.parse({
  target: "test",
  chainId: 1,
  deploymentBlock: 100,
  factory: address(1),
  core: address(2),
  proxyAdmin: address(3),
  operatorTimelock: address(4),
  operatorProposer: address(5),
  streamId: hash(6),
});
const snapshot = {
  core: coreView(),
  safeCore: {
    settledThroughRound: 0n,
    cumulativeWork: 0n,
    blockHeight: 0n,
    currentWork: 0n,
    workPerBlock: 1n,
    lastSettlement: null,
  },
  economy: economyView(),
};
const failure = { check: "chain_id", detail: "another" } as const;
type Outcome = PassOutcome | BrokenPass;

const READ: Outcome = { kind: "read", snapshot, economy: { kind: "none" } };
const UNCHANGED: Outcome = { kind: "unchanged" };
const LAGGING: Outcome = { kind: "lagging", block: 5n };
const BROKEN: Outcome = { kind: "broken", message: "HTTP 500", isOutOfTime: false };
const SLOW: Outcome = { kind: "broken", message: undefined, isOutOfTime: true };
const NO_QUORUM: Outcome = { kind: "no_quorum", message: "1 of 2 nodes agree" };
const OTHER: Outcome = { kind: "other_chain", failure, safe: 500n };
const MISMATCH: Outcome = { kind: "mismatch", failure: { check: "stream_id", detail: "x" } };
const fault = (node: number, digest = "same"): Outcome => ({
  kind: "fault",
  fault: {
    failure: { check: "settlement_continuity", detail: "lost" },
    node,
    from: 1n,
    through: 9n,
    repairFrom: 1n,
    digest: () => digest,
  },
});

/** One second apart, for longer than the grace. */
const often = (outcome: Outcome): Outcome[] => Array.from({ length: 16 }, () => outcome);

interface Rules {
  readonly isQuorum?: boolean;
  readonly isOnlyResponding?: boolean;
}

/** Polls one second apart. An inner list is one poll over several nodes. */
function after(
  polls: readonly (Outcome | readonly Outcome[])[],
  { isQuorum = false, isOnlyResponding = true }: Rules = {},
) {
  const results = {
    snapshot: undefined,
    safe: 500n,
    lastGoodPassAt: undefined,
    synced: false,
    failed: false,
    coreMismatch: undefined,
    economyMismatch: undefined,
  };
  let now = T0;
  let state = health.healthOf(results, { deployment, grace: GRACE, isQuorum });
  const reported: string[] = [];
  for (const poll of polls) {
    state = health.pollBegun(state, now, now + 60_000);
    const outcomes = Array.isArray(poll) ? (poll as readonly Outcome[]) : [poll as Outcome];
    for (const [index, outcome] of outcomes.entries()) {
      if (state.isOver) break;
      const isLast = index === outcomes.length - 1;
      // No step may modify its input state.
      Object.freeze(state.results);
      state = health.step(Object.freeze(state), { outcome, node: `node ${index}`, isOnlyResponding, isLast }, now);
      reported.push(...state.events.map(({ kind }) => kind));
    }
    state = health.pollEnded(state, now);
    now += 1_000;
  }
  const times = { now, grace: GRACE, validity: VALIDITY, askingSince: health.askingSince(state, now) };
  const { core, isUndecided } = chainState(state.results, deployment, times);
  const says = core.status === "available" ? core.status : core.reason;
  return { state, reported, says, isUndecided, concluded: state.concluded };
}

describe("the Core's view after polls of", () => {
  test.each<[string, readonly (Outcome | readonly Outcome[])[], string, Rules?]>([
    ["nothing yet", [], "not_yet_safe"],
    ["a good pass", [READ], "available"],
    ["a good pass, then one that finds nothing new", [READ, UNCHANGED], "available"],
    ["a good pass, then a broken one", [READ, BROKEN], "available"],
    ["a good pass, then broken ones for longer than the grace", [READ, ...often(BROKEN)], "indexer_unavailable"],
    ["a lagging node, for longer than the grace", [READ, ...often(LAGGING)], "indexer_unavailable"],
    ["too few nodes that agree, for longer than the grace", [READ, ...often(NO_QUORUM)], "indexer_unavailable"],
    ["a broken node and a good one", [[BROKEN, READ]], "available"],
    ["a slow first pass", [SLOW], "not_yet_safe"],
    ["two slow passes in a row", [SLOW, SLOW], "indexer_unavailable"],
    ["a mismatch", [READ, MISMATCH], "indexer_mismatch"],
    ["a mismatch that is resolved", [READ, MISMATCH, READ], "available"],
    ["a fault that one pass has seen", [READ, fault(0)], "available"],
    ["a fault that a second pass confirms", [READ, fault(0), fault(0)], "indexer_mismatch"],
    [
      "a fault that another node confirms",
      [READ, [fault(0), fault(1)]],
      "indexer_mismatch",
      { isOnlyResponding: false },
    ],
    [
      "a fault of the same node twice while others respond",
      [READ, fault(0), fault(0)],
      "available",
      { isOnlyResponding: false },
    ],
    ["two different faults", [READ, fault(0, "one"), fault(0, "two")], "available"],
    ["a fault, a good pass and the fault again", [READ, fault(0), UNCHANGED, fault(0)], "available"],
    ["another chain", [READ, [OTHER, READ]], "indexer_mismatch"],
    ["another chain at one node, with a quorum", [READ, [OTHER, READ]], "available", { isQuorum: true }],
    ["another chain at every node, with a quorum", [READ, [OTHER, OTHER]], "indexer_mismatch", { isQuorum: true }],
  ])("%s", (_, polls, says, rules) => {
    expect(after(polls, rules).says).toBe(says);
  });
});

test("a publisher that was asleep restarts its grace, and is undecided until the grace ends", () => {
  const { state } = after([READ, BROKEN]);
  const later = T0 + 4 * GRACE + 10_000;
  expect(health.askingSince(state, later)).toBeUndefined();
  const awake = health.pollBegun(state, later, later + 60_000);
  expect(health.askingSince(awake, later)).toBe(later);
  const times = { grace: GRACE, validity: VALIDITY, askingSince: later };
  expect(chainState(awake.results, deployment, { now: later + GRACE - 1, ...times })).toMatchObject({
    isUndecided: false,
    core: { status: "available" },
  });
  expect(chainState(awake.results, deployment, { now: later + GRACE, ...times }).core).toMatchObject({
    reason: "indexer_unavailable",
  });
  // A smaller overrun of the deadline does not restart the count.
  const [begunAt] = [health.pollBegun(state, T0 + 5_000, T0 + 6_000)];
  expect(health.askingSince(health.pollEnded(begunAt, T0 + 6_500), T0 + 6_500)).toBe(T0);
});
