/** The one check of the sources: they must continue the head (docs/spec/publishing.md#nothing-goes-back). */
import { expect, test } from "vitest";
import { bindingHash, type ChainCheck, checkChain, permittedChain } from "../../../publish/plan/sources.ts";
import type { ChainBinding, ChainState } from "../../../src/chain/chain-state.ts";
import { disabledChain } from "../../../src/chain/sync/view-state.ts";
import { toBigintJson } from "../../../src/values/decimal.ts";

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

test.each<[string, ChainCheck["kind"], ChainState, (string | null)?]>([
  ["the published block", "continues", chainAt([100n, "0xa"])],
  ["another block at the same height", "behind", chainAt([100n, "0xb"])],
  ["a lower block", "behind", chainAt([99n, "0xa"])],
  ["a higher block, and nobody was asked", "ask", chainAt([101n, "0xc"])],
  ["a higher block of the same chain", "continues", chainAt([101n, "0xc"]), "0xa"],
  ["a higher block of another fork", "behind", chainAt([101n, "0xc"]), "0xb"],
  ["a higher block, and no node says the hash", "silent", chainAt([101n, "0xc"]), null],
  ["no view", "no-view", chainAt()],
  ["another deployment", "continues", chainAt([1n, "0xd"], [1n, "0xd"], other)],
  ["no chain", "continues", disabledChain()],
])("a chain with %s: %s", (_, kind, chain, hash) => {
  expect(checkChain(PUBLISHED, chain, () => hash).kind).toBe(kind);
  expect(checkChain(null, chain, () => hash).kind).toBe("continues");
});

/** The work of the Core from which a response is built; "stays": it is not built. */
test.each<[string, ChainCheck["kind"], ChainState, process: bigint | "none", view: bigint | "none" | "stays"]>([
  ["continues", "continues", chainAt([100n, "0xa"]), 9n, 9n],
  ["is behind", "behind", chainAt([99n, "0xa"]), 7n, "stays"],
  ["cannot be compared", "silent", chainAt([101n, "0xc"]), 7n, "stays"],
  ["has no view, and its file has the published block", "no-view", chainAt(undefined, [100n, "0xa"]), 9n, 9n],
  ["has no view, and its file has an older block", "no-view", chainAt(undefined, [90n, "0x9"]), 7n, 9n],
  ["has no view, and its file is lost", "no-view", chainAt(undefined, undefined), 7n, "none"],
])("if the chain %s, process and the views are built from the right state", (...[, kind, chain, ofProcess, ofView]) => {
  const check = { kind, failure: undefined, block: "100" } as unknown as ChainCheck;
  const work = (keepsCore: boolean) => {
    const permitted = permittedChain(chain, PUBLISHED, check, { keepsCore });
    return permitted === undefined ? "stays" : (permitted.chain.safeCore?.cumulativeWork ?? "none");
  };
  expect([work(true), work(false)]).toEqual([ofProcess, ofView]);
});
