/** Random histories for the process snapshot: late rounds, unordered closures, alternating epochs, ties. */
import * as fc from "fast-check";
import type { RunResult } from "../../../src/ledger/read/reporter-runs.ts";
import type { Lifecycle } from "../../../src/ledger/read/submissions.ts";
import { type Fact, uuid } from "./history.ts";

/** Seconds; rounds 0 to 40 follow. */
export const GENESIS = 1_795_168_800n;
const START = Number(GENESIS) * 1000;
const ROUNDS = 40;
const EPOCHS = [uuid(0xe1), uuid(0xe2)] as const;

/** Between two reads of the snapshot, facts arrive and the settled frontier moves. */
export interface Step {
  readonly facts: readonly Fact[];
  readonly frontier: bigint | undefined;
  readonly at: number;
}

/** Steps whose facts intake would accept in order. */
export const steps: fc.Arbitrary<Step[]> = fc
  .record({
    seeds: fc.array(
      fc.record({
        events: fc.array(fc.tuple(fc.nat(99), fc.nat(), fc.nat(), fc.nat()), { maxLength: 16 }),
        frontier: fc.option(fc.nat(ROUNDS), { nil: undefined, freq: 6 }),
        at: fc.nat(ROUNDS * 600_000),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    regular: fc.boolean(),
  })
  .map(({ seeds, regular }) => {
    const state = { counters: [0n, 0n], rounds: new Set<bigint>(), covered: new Set<bigint>(), last: 0n };
    let frontier = 0;
    let at = 0;
    return seeds.map((seed) => {
      // Regular: time and chain advance slightly between reads. Otherwise they jump, also backwards like a rewound
      // chain.
      frontier = regular ? frontier + ((seed.frontier ?? 0) % 3) : (seed.frontier ?? frontier);
      at = regular ? at + (seed.at % 900_000) : seed.at;
      return {
        facts: seed.events.flatMap((event) => factsOf(event, state, regular)),
        frontier: seed.at % 11 === 0 ? undefined : BigInt(frontier),
        at: START + at,
      };
    });
  });

interface State {
  readonly counters: bigint[];
  readonly rounds: Set<bigint>;
  readonly covered: Set<bigint>;
  last: bigint;
}

function factsOf([kind, a, b, c]: [number, number, number, number], state: State, regular: boolean): Fact[] {
  const instant = START + (a % (ROUNDS * 600)) * 1000;
  if (kind < 35) return [receiptOf(kind, [a, b, c], state)];
  if (kind < 40) return [{ type: "epoch", counterEpoch: EPOCHS[a % 4 === 0 ? 1 : 0] }];
  if (kind < 60) {
    const roundId = regular ? state.last + 1n : BigInt(a % ROUNDS);
    if (state.rounds.has(roundId)) return [];
    state.rounds.add(roundId);
    if (roundId > state.last) state.last = roundId;
    return [{ type: "round", roundId, workUnits: c % 3 === 0 ? 0n : BigInt(b) ** 2n, eligible: c % 29 !== 1 }];
  }
  if (kind < 75) return closureOf(regular ? 0 : a, b, instant, state);
  if (kind < 79) return [{ type: "oracle", blockedReason: b % 2 === 0 ? null : "signature_mismatch", at: a % 50 }];
  if (kind < 87) return [submissionOf(a, b, c)];
  if (kind < 94) {
    const startedAt = START + (a % 40) * 60_000;
    const finished = b % 4 !== 0;
    const result = (["submitted", "nothing_to_submit", "failed"] as const)[c % 3] as RunResult;
    return [
      {
        type: "reporter_run",
        startedAt,
        finishedAt: finished ? startedAt + (c % 3) * 60_000 : null,
        result: finished ? result : null,
      },
    ];
  }
  return [
    {
      type: "settlement_control",
      settlementEnabled: a % 5 !== 0,
      reporterEnvironmentEnabled: b % 2 === 0,
      blockedReason: c % 8 === 0 ? "operator_hold" : null,
      incidentOpen: b % 3 === 0,
      at: c % 60,
    },
  ];
}

function receiptOf(kind: number, [a, b, c]: readonly [number, number, number], state: State): Fact {
  const epoch = c % 9 === 0 ? 1 : 0;
  const counter = (state.counters[epoch] ?? 0n) + BigInt(b % 1000);
  state.counters[epoch] = counter;
  const observedAt = START + (a % (ROUNDS * 600)) * 1000;
  return {
    type: "receipt",
    counterEpoch: EPOCHS[epoch],
    observedAt,
    receivedAt: observedAt + (c % 200_000),
    cumulativeWorkUnits: counter,
    coreStatus: kind === 0 ? "COUNTER_FAULT" : "ACTIVE",
  };
}

function closureOf(which: number, b: number, acceptedAt: number, state: State): Fact[] {
  const open = [...state.rounds].filter((id) => !state.covered.has(id)).toSorted((x, y) => Number(x - y));
  const firstRound = open[which % Math.max(open.length, 1)];
  if (firstRound === undefined) return [];
  let lastRound = firstRound;
  while (lastRound < firstRound + BigInt(b % 5) && open.includes(lastRound + 1n)) lastRound++;
  for (let id = firstRound; id <= lastRound; id++) state.covered.add(id);
  return [{ type: "closure", firstRound, lastRound, acceptedAt }];
}

function submissionOf(a: number, b: number, c: number): Fact {
  const lifecycle = (["preparing", "submitted", "retrying", "confirmed", "reverted", "superseded"] as const)[
    a % 6
  ] as Lifecycle;
  const isTerminal = lifecycle === "confirmed" || lifecycle === "reverted" || lifecycle === "superseded";
  const preparedAt = START + (b % 5) * 60_000;
  const previous = BigInt(c % 20);
  return {
    type: "submission",
    submissionId: uuid(0x50 + (c % 6)),
    lifecycle,
    previousSettledThroughRound: previous,
    settledThroughRound: previous + 1n + BigInt(a % 16),
    activeRoundCount: a % 2,
    expected: { cumulativeWork: 2n ** 200n, blockHeight: BigInt(a), currentWork: 7n, completedBlockCount: 3n },
    transactionHash: lifecycle === "preparing" ? null : `0x${"cd".repeat(32)}`,
    preparedAt,
    submittedAt: lifecycle === "preparing" ? null : preparedAt + 1,
    terminalAt: isTerminal ? preparedAt + 3 : null,
    confirmedAt: lifecycle === "confirmed" ? preparedAt + 2 : null,
    outcomeCode: lifecycle === "reverted" || lifecycle === "superseded" ? lifecycle : null,
  };
}
