// verify --replay --rpc-url: the settled batches of the chain against the rounds of the log.
import { expect, test } from "vitest";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { installationRowId } from "../../../src/ledger/watermarks.ts";
import { reconcile } from "../../../src/verify/log/chain.ts";
import { ingest } from "../../ledger/ingest.ts";
import { emptyLedger, round } from "../../ledger/samples.ts";
import { batchEvents, chainDb } from "../../support/chain/chain-db.ts";
import { chainEvent } from "../../support/chain/chain-state.ts";

/** Two batches: rounds 1 and 2 with 30 work units, and rounds 3 to 5, of which one has 12. */
const BATCHES = batchEvents([
  { block: 10n, time: 0, rounds: 2n, activeRounds: 2n, work: 30n },
  { block: 20n, time: 0, rounds: 3n, activeRounds: 1n, work: 12n },
]);

const recorded = (logIndex: number, roundId: number, workUnits: number) =>
  chainEvent({
    eventName: "WorkRecorded",
    blockNumber: 9n,
    logIndex,
    arguments: [
      { name: "round", value: String(roundId) },
      { name: "workUnits", value: String(workUnits) },
      { name: "cumulativeWork", value: "0" },
    ],
  });

function reconciled(work: Readonly<Record<number, number>>, { events = BATCHES, safeBlock = 100n } = {}) {
  const ledger = emptyLedger();
  const rounds = Object.entries(work).map(([id, units]) => round(id, { workUnits: String(units) }));
  expect(ingest(ledger, rounds).rejected).toBe(0);
  const installation = installationRowId(ledger, "wheel-1");
  return reconcile({ ledger, installation, events: chainDb(events as ChainEvent[]), safeBlock });
}

const ALL = { 1: 10, 2: 20, 3: 0, 4: 12, 5: 0 };

test.each([
  ["the log has all rounds", ALL, { batches: 2, unknown: 0, differences: [] }],
  ["the log lacks rounds without work", { 1: 10, 2: 20, 4: 12 }, { batches: 2, unknown: 0, differences: [] }],
  ["the log lacks a round with work", { ...ALL, 2: undefined }, { batches: 2, unknown: 1, differences: [] }],
  ["the log has nothing", {}, { batches: 2, unknown: 2, differences: [] }],
  [
    "a round has less work",
    { ...ALL, 4: 11 },
    {
      batches: 2,
      unknown: 0,
      differences: ["rounds 3 to 5, settled in block 20: the log has 11 work units, and the batch 12"],
    },
  ],
  [
    "a round has more work, and another one is missing",
    { 1: 31 },
    {
      batches: 2,
      unknown: 1,
      differences: ["rounds 1 to 2, settled in block 10: the log has 31 work units, and the batch 30"],
    },
  ],
  [
    "the work is in another number of rounds",
    { ...ALL, 1: 0, 2: 30 },
    {
      batches: 2,
      unknown: 0,
      differences: ["rounds 1 to 2, settled in block 10: the log has 1 rounds with work, and the batch 2"],
    },
  ],
])("%s", (_, work, found) => {
  const rounds = Object.fromEntries(Object.entries(work).filter(([, units]) => units !== undefined));
  expect(reconciled(rounds as Record<number, number>)).toEqual(found);
});

test("the recorded work of each round is that of the log", () => {
  const events = [recorded(0, 1, 10), recorded(1, 2, 20), recorded(2, 4, 9), recorded(3, 4, 3), ...BATCHES];
  expect(reconciled(ALL, { events }).differences).toEqual([]);
  expect(reconciled({ ...ALL, 1: 20, 2: 10 }, { events }).differences).toEqual([
    "round 1 has 20 work units in the log, and 10 are recorded on the chain",
    "round 2 has 10 work units in the log, and 20 are recorded on the chain",
  ]);
});

test("events above the safe block are not read", () => {
  expect(reconciled({ ...ALL, 4: 11 }, { safeBlock: 19n })).toEqual({ batches: 1, unknown: 0, differences: [] });
});
