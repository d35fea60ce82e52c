import { expect, test } from "vitest";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { onceASettlement } from "../../../src/projections/settlements/settlements.ts";
import { buildSettlements } from "../../../src/resources/settlements/build.ts";
import {
  addEvents,
  batchEvents,
  chainDb,
  projectionsDb,
  regularBatches,
  settledChain,
} from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";

test("a batch more is in every range at once, and a rewind takes it out again", () => {
  const batches = regularBatches(5, 1, 3);
  const projections = projectionsDb();
  const fewer = batches.slice(0, 4);
  const db = chainDb(batchEvents(fewer), 500);
  const counts = (settled: typeof batches, chainDb: typeof db, safe: bigint) => {
    const chain = settledChain(settled, {}, safe);
    advanceChainViews(projections, { chain, chainDb });
    return (["now", "24h", "7d", "30d"] as const).map((range) => {
      const sources = { installationId: "wheel-1", chain, projections };
      return JSON.parse(buildSettlements(range, sources, undefined, AT).body).summary.settlementCount;
    });
  };
  expect(counts(fewer, db, 140n)).toEqual(["4", "4", "4", "4"]);
  addEvents(db, batchEvents(batches).slice(4));
  expect(counts(batches, db, 500n)).toEqual(["5", "5", "5", "5"]);
  expect(counts(fewer, chainDb(batchEvents(fewer), 500, "rewound"), 500n)).toEqual(["4", "4", "4", "4"]);
});

test("between two settlements it is worked out once, and windows that are over are let go", () => {
  const projections = projectionsDb();
  let computed = 0;
  const ask = (key: string) => onceASettlement(projections, key, () => ++computed);
  expect([ask("a"), ask("a"), ask("b")]).toEqual([1, 1, 2]);
  for (let n = 0; n < 64; n++) ask(`window ${n}`);
  expect(ask("a")).toBe(computed);
});
