// Short steps along the chain derive the same rows as one long step, wherever a step ends and however the chain's file
// changes in between.
import type { Database } from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChainEvent } from "../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";
import { KINDS } from "../publish/activity/chain-logs.ts";
import {
  type Batch,
  batchEvents,
  chainDb,
  fundingEvent,
  projectionsDb,
  settledChain,
} from "../support/chain/chain-db.ts";
import { AT } from "../support/chain/chain-state.ts";

const FIRST_BLOCK = 101;
const STEPS_AT_MOST = 10_000;

/** The events of each block: a settlement, funded rounds, or other activity. */
type Block = readonly [settled: boolean, funded: number, others: number];
const blocks = fc.array(fc.tuple(fc.boolean(), fc.nat(5), fc.nat(3)), { minLength: 1, maxLength: 30 });
/** Step budgets in microseconds, from one or two events up to a whole history. */
const budgets = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });

function logsOf(chain: readonly Block[]): ChainEvent[] {
  const batches: Batch[] = [];
  const logs: ChainEvent[] = [];
  chain.forEach(([settled, funded, others], index) => {
    const block = BigInt(FIRST_BLOCK + index);
    if (settled) batches.push({ block, time: AT + index * 12_000, rounds: 16n, activeRounds: 9n, work: 1500n });
    for (let n = 0; n < funded; n++) logs.push(fundingEvent(block, 1 + n, BigInt(index * 16 + n), 5n));
    for (let n = 0; n < others; n++) {
      const make = KINDS[n % KINDS.length] ?? KINDS[0];
      logs.push(make({ blockNumber: block, logIndex: 10 + n, blockTimestamp: AT + index * 12_000 }));
    }
  });
  return [...batchEvents(batches), ...logs];
}

function rowsOf(projections: Database) {
  const all = (sql: string) => projections.prepare(sql).all();
  return {
    settlements: all("SELECT * FROM settlement"),
    fundings: all("SELECT * FROM round_funding"),
    events: all("SELECT * FROM activity_event"),
    cursors: all("SELECT name, version, position, checksum FROM cursor"),
  };
}

/** Half of a block's rows would be the state of no block. */
function expectWholeBlocks(projections: Database, logs: readonly ChainEvent[]): void {
  const through = projections.prepare("SELECT CAST(position AS INTEGER) FROM cursor WHERE name = ?").pluck();
  const [settlements, events] = [through.get("settlements"), through.get("activity") ?? -1] as number[];
  const count = (sql: string) => projections.prepare(sql).pluck().get() as number;
  const within = (name: string, block = -1) =>
    logs.filter(({ eventName, blockNumber }) => eventName === name && blockNumber <= BigInt(block)).length;
  expect(count("SELECT count(*) FROM settlement")).toBe(within("BatchSettled", settlements));
  expect(count("SELECT count(*) FROM round_funding")).toBe(within("RoundFunded", settlements));
  expect(count("SELECT count(*) FROM activity_event WHERE type LIKE '%completed'")).toBe(
    within("BatchSettled", events),
  );
}

/** Takes steps with these budgets in rotation, until done or up to a number of steps. Returns true when done. */
function step(inputs: Inputs, sizes: readonly number[], most: number, after: () => void = () => {}): boolean {
  const { projections, logs, history } = inputs;
  const db = chainDb(logs, FIRST_BLOCK + 40, history);
  const chain = settledChain([], {}, BigInt(inputs.safeBlock));
  for (let n = 0; n < most; n++) {
    const budget = new StepBudget(sizes[n % sizes.length] ?? 1);
    const more = advanceChainViews(projections, { chain, chainDb: db }, budget);
    after();
    if (!more) return true;
  }
  return false;
}

interface Inputs {
  readonly projections: Database;
  readonly logs: readonly ChainEvent[];
  readonly history: string;
  readonly safeBlock: number;
}

test("the steps of a first sync end at whole blocks and derive the same rows as one step", () => {
  fc.assert(
    fc.property(blocks, budgets, (chain, sizes) => {
      const logs = logsOf(chain);
      const [stepped, whole] = [projectionsDb(), projectionsDb()];
      const rest = { logs, history: "first", safeBlock: FIRST_BLOCK + 35 };
      const after = () => expectWholeBlocks(stepped, logs);
      expect(step({ ...rest, projections: stepped }, sizes, STEPS_AT_MOST, after)).toBe(true);
      expect(step({ ...rest, projections: whole }, [Number.POSITIVE_INFINITY], 1)).toBe(true);
      expect(rowsOf(stepped)).toEqual(rowsOf(whole));
    }),
    { numRuns: 30 },
  );
});

test("steps can continue from any point, forward and back, to another history or a lower safe block", () => {
  const pass = fc.record({
    chain: blocks,
    steps: fc.nat(12),
    isRewound: fc.boolean(),
    safe: fc.integer({ min: 0, max: 35 }),
  });
  fc.assert(
    fc.property(fc.array(pass, { minLength: 1, maxLength: 6 }), budgets, (passes, sizes) => {
      const [stepped, whole] = [projectionsDb(), projectionsDb()];
      let [history, logs] = [0, logsOf(passes[0]?.chain ?? [])];
      for (const { chain, steps, isRewound, safe } of passes) {
        if (isRewound) [history, logs] = [history + 1, logsOf(chain)];
        const inputs = { logs, history: String(history), safeBlock: FIRST_BLOCK + safe };
        step({ ...inputs, projections: stepped }, sizes, steps);
      }
      const last = { logs, history: String(history), safeBlock: FIRST_BLOCK + 20 };
      expect(step({ ...last, projections: stepped }, sizes, STEPS_AT_MOST)).toBe(true);
      expect(step({ ...last, projections: whole }, [Number.POSITIVE_INFINITY], 1)).toBe(true);
      expect(rowsOf(stepped)).toEqual(rowsOf(whole));
    }),
    { numRuns: 40 },
  );
});

test("a step stays within its budget, forward and back", () => {
  const logs = Array.from({ length: 1000 }, (_, n) => fundingEvent(BigInt(FIRST_BLOCK + n), 1, BigInt(n), 5n));
  const projections = projectionsDb();
  const chain = settledChain([], {}, 2000n);
  const db = chainDb(logs, 2000);
  const count = () => projections.prepare("SELECT count(*) FROM round_funding").pluck().get() as number;
  const taken: number[] = [];
  for (let more = true; more; taken.push(count())) {
    more = advanceChainViews(projections, { chain, chainDb: db }, new StepBudget(100));
  }
  expect(taken.slice(0, 3)).toEqual([10, 20, 30]);
  expect(taken.length).toBe(100);

  const left: number[] = [];
  const rewound = chainDb([], 2000, "second");
  for (let more = true; more; left.push(count())) {
    more = advanceChainViews(projections, { chain, chainDb: rewound }, new StepBudget(100));
  }
  expect(left.slice(0, 2)).toEqual([989, 978]);
  expect(left.length).toBeLessThan(100);
});
