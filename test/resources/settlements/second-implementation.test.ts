/** Settlements from projections equal those from raw logs, in any order of passes, rewinds and wipes. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { buildSettlements } from "../../../src/resources/settlements/build.ts";
import { buildLegacySettlements } from "../../../src/resources/settlements-legacy/build.ts";
import {
  addEvents,
  type Batch,
  batchEvents,
  chainDb,
  fundingEvent,
  projectionsDb,
  settledChain,
} from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { naiveSettlements } from "./second-implementation.ts";

interface Step {
  readonly blocks: bigint;
  readonly minutes: number;
  readonly rounds: bigint;
  readonly active: bigint;
  readonly work: bigint;
}

const batchSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    blocks: fc.bigInt(0n, 3n),
    minutes: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 4000 }), fc.constant(60)),
    rounds: fc.bigInt(1n, 20n),
    active: fc.bigInt(0n, 16n),
    work: fc.oneof(fc.constant(0n), fc.bigInt(0n, 5000n), fc.bigInt(0n, 2n ** 200n)),
  }),
  { maxLength: 40 },
);

/** Batches that end some minutes before or after AT. Two are in one block if `blocks` is 0. */
function batchesOf(steps: readonly Step[]): Batch[] {
  let [block, time, logIndex] = [101n, AT + 30 * 60_000, 0];
  for (const { minutes } of steps) time -= minutes * 60_000;
  return steps.map(({ blocks, minutes, rounds, active, work }) => {
    logIndex = blocks === 0n ? logIndex + 2 : 0;
    block += blocks;
    if (blocks > 0n) time += minutes * 60_000;
    return { block, logIndex, time, rounds, activeRounds: active, work };
  });
}

const scenarios = fc.record({
  steps: batchSteps,
  fundings: fc.array(fc.tuple(fc.bigInt(1n, 120n), fc.bigInt(0n, 10n ** 20n)), { maxLength: 30 }),
  minted: fc.bigInt(0n, 120n),
  /** Blocks at which a pass was interrupted, and what has happened to the chain's file since. */
  passes: fc.array(fc.tuple(fc.integer({ min: 100, max: 230 }), fc.constantFrom("goes on", "rewound", "wiped")), {
    maxLength: 6,
  }),
});

test("settlements equal the naive implementation in every range", () => {
  fc.assert(
    fc.property(scenarios, ({ steps, fundings, minted, passes }) => {
      const batches = batchesOf(steps);
      const logs = [
        ...batchEvents(batches),
        ...fundings.map(([round, amount], index) => fundingEvent(110n + BigInt(index), 1, round, amount)),
      ];
      const chain = settledChain(batches, { mintedThroughRound: minted });
      const projections = projectionsDb();
      follow(projections, logs, chain, passes);
      for (const range of ["now", "24h", "7d", "30d"] as const) {
        const expected = naiveSettlements(logs, chain, range, AT);
        const sources = { installationId: "wheel-1", chain, projections };
        expect(JSON.parse(buildSettlements(range, sources, undefined, AT).body)).toMatchObject(expected);
        const legacy = JSON.parse(buildLegacySettlements(range, sources, AT).body);
        const withoutMint = expected.recentSettlements.map((settlement) =>
          Object.fromEntries(Object.entries(settlement).filter(([name]) => name !== "mint")),
        );
        expect(legacy).toMatchObject({ ...expected, recentSettlements: withoutMint });
        expect(legacy.recentSettlements).toEqual(withoutMint);
      }
    }),
    { numRuns: 40 },
  );
});

/** Advances through the passes, with foreign logs above each rewound block, up to the full history. */
function follow(
  projections: ReturnType<typeof projectionsDb>,
  logs: readonly ChainEvent[],
  chain: ReturnType<typeof settledChain>,
  passes: readonly (readonly [number, string])[],
): void {
  let history = 0;
  for (const [block, fate] of passes) {
    const known = logs.filter(({ blockNumber }) => blockNumber <= BigInt(block));
    const db = chainDb(known, block, String(history));
    if (fate === "rewound") addEvents(db, [fundingEvent(BigInt(block), 999, 5n, 12345n)]);
    advanceChainViews(projections, { chain, chainDb: db });
    if (fate !== "goes on") history++;
  }
  advanceChainViews(projections, { chain, chainDb: chainDb(logs, 500, String(history)) });
}
