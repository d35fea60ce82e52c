/** The one check of the sources: they must continue the head (docs/spec/publishing.md#nothing-goes-back). */
import { expect, test } from "vitest";
import {
  bindingHash,
  type ChainCheck,
  chainUse,
  checkChain,
  withPublishedCore,
} from "../../../publish/plan/sources.ts";
import type { ChainBinding, ChainState } from "../../../src/chain/chain-state.ts";
import { disabledChain } from "../../../src/chain/sync/view-state.ts";
import { toBigintJson } from "../../../src/values/decimal.ts";
import { Failure } from "../../../src/values/failure.ts";

const BINDING: ChainBinding = {
  target: "mainnet",
  chainId: 1n,
  core: "0x00000000000000000000000000000000000000c0",
  deploymentBlock: 5n,
  releaseId: undefined,
};
const core = (work: bigint) => ({
  settledThroughRound: 1n,
  cumulativeWork: work,
  blockHeight: 1n,
  currentWork: 0n,
  workPerBlock: 1n,
  lastSettlement: null,
});
const PUBLISHED = {
  binding: bindingHash(BINDING),
  safeBlock: "100",
  safeHash: "0xa",
  core: toBigintJson(core(7n)),
  genesisTimestamp: null,
};

/** A view at a safe block; undefined: no node responds. */
function chainAt(view?: readonly [number: bigint, hash: string], stored = view, binding = BINDING): ChainState {
  const point = view && { view: { chain: { safeThroughBlock: view[0], safeBlockHash: view[1] } } };
  return {
    ...disabledChain(),
    binding,
    core: (point === undefined
      ? { status: "unavailable", reason: "indexer_unavailable" }
      : { status: "available", ...point }) as ChainState["core"],
    safeCore: stored && core(9n),
    safeCoreBlock: stored && { number: stored[0], hash: stored[1] },
  };
}

const other = { ...BINDING, core: "0x00000000000000000000000000000000000000c1" };

test.each<[string, ChainCheck["kind"] | "ask", ChainState, (string | null)?]>([
  ["the published block", "continues", chainAt([100n, "0xa"])],
  ["another block at the same height", "behind", chainAt([100n, "0xb"])],
  ["a lower block", "behind", chainAt([99n, "0xa"])],
  ["a higher block, and nobody was asked", "ask", chainAt([101n, "0xc"])],
  ["a higher block of the same chain", "continues", chainAt([101n, "0xc"]), "0xa"],
  ["a higher block of another fork", "behind", chainAt([101n, "0xc"]), "0xb"],
  ["a higher block, and no node says the hash", "silent", chainAt([101n, "0xc"]), null],
  ["no view, and the published block in its file", "continues", chainAt(undefined, [100n, "0xa"])],
  ["no view, and an older block in its file", "no-view", chainAt(undefined, [90n, "0x9"])],
  ["no view, and the same height of another fork in its file", "no-view", chainAt(undefined, [100n, "0xb"])],
  ["no view and no file", "no-view", chainAt()],
  ["another deployment", "continues", chainAt([1n, "0xd"], [1n, "0xd"], other)],
  ["no chain", "continues", disabledChain()],
])("a chain with %s: %s", (_, kind, chain, hash) => {
  expect(checkChain(PUBLISHED, chain, () => hash).kind).toBe(kind);
  expect(checkChain(null, chain, () => hash).kind).toBe("continues");
});

test.each([
  ["continues", "chain", "chain"],
  ["no-view", "published-core", "chain"],
  ["silent", "published-core", "stays"],
  ["behind", "published-core", "stays"],
] as const)(
  "if the check says %s, process is built from: %s, and a view of the chain from: %s",
  (kind, ofProcess, ofView) => {
    const check = { kind, failure: new Failure("chain_behind", "") };
    expect([chainUse(check, true), chainUse(check, false)]).toEqual([ofProcess, ofView]);
  },
);

test("process can show the Core's state as it was published", () => {
  expect(withPublishedCore(chainAt(undefined, [90n, "0x9"]), PUBLISHED).safeCore?.cumulativeWork).toBe(7n);
});
