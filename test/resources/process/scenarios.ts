/**
 * One history per branch of the process snapshot: an installation in normal operation, and the changes of each case.
 */
import type { SafeCoreState } from "../../../src/chain/chain-state.ts";
import type { Submission } from "../../../src/ledger/read/submissions.ts";
import { buildProcess } from "../../../src/resources/process/build.ts";
import { noProcessFacts, readProcessFacts } from "../../../src/resources/process/facts.ts";
import { coreAt, type Fact, type FactOf, INSTALLATION, ledgerOf, uuid } from "./history.ts";

/** 2026-11-20T10:00:00Z, the start of round 0. */
const GENESIS = 1_795_168_800n;
const ROUND_0 = Number(GENESIS) * 1000;
/** 100 s after the start of round 10. */
export const AT = ROUND_0 + 10 * 600_000 + 100_000;
const EPOCH = uuid(0xe1);
const HASH = `0x${"cd".repeat(32)}`;
export const CORE = coreAt(4n, 2_500n, 1_000n);

export interface Case {
  readonly facts: readonly Fact[];
  readonly core: SafeCoreState | undefined;
  readonly genesis: bigint | undefined;
  readonly at: number;
}

function receipt(observedAt: number, work: bigint, more: Partial<FactOf<"receipt">> = {}): Fact {
  return {
    type: "receipt",
    counterEpoch: EPOCH,
    observedAt,
    receivedAt: observedAt + 250,
    cumulativeWorkUnits: work,
    coreStatus: "ACTIVE",
    ...more,
  };
}

function round(roundId: bigint, workUnits: bigint, eligible = true): Fact {
  return { type: "round", roundId, workUnits, eligible };
}

function closure(firstRound: bigint, lastRound: bigint, acceptedAt = AT - 60_000): Fact {
  return { type: "closure", firstRound, lastRound, acceptedAt };
}

function run(startedAt: number, finishedAt: number | null = startedAt + 2_000): Fact {
  return { type: "reporter_run", startedAt, finishedAt, result: finishedAt === null ? null : "nothing_to_submit" };
}

function control(more: Partial<FactOf<"settlement_control">> = {}): Fact {
  return {
    type: "settlement_control",
    settlementEnabled: true,
    reporterEnvironmentEnabled: true,
    blockedReason: null,
    incidentOpen: false,
    at: 1,
    ...more,
  };
}

function submission(more: Partial<Submission> = {}): Fact {
  return {
    type: "submission",
    submissionId: uuid(0x51),
    lifecycle: "submitted",
    previousSettledThroughRound: 4n,
    settledThroughRound: 9n,
    activeRoundCount: 4,
    expected: { cumulativeWork: 4_600n, blockHeight: 4n, currentWork: 600n, completedBlockCount: 2n },
    transactionHash: HASH,
    preparedAt: AT - 90_000,
    submittedAt: AT - 80_000,
    terminalAt: null,
    confirmedAt: null,
    outcomeCode: null,
    ...more,
  };
}

/**
 * The frontier is 4. Rounds 5 to 9 are closed and accepted in two closures, with 150 units of work since. The queue is
 * ready.
 */
const READY: Case = {
  facts: [
    { type: "epoch", counterEpoch: EPOCH },
    receipt(AT - 400_000, 7_000n),
    receipt(ROUND_0 + 10 * 600_000 - 1, 7_050n),
    receipt(AT - 50_000, 7_200n),
    ...[5n, 6n, 7n, 8n].map((id) => round(id, id * 100n)),
    round(9n, 0n),
    closure(1n, 7n, AT - 1_000_000),
    closure(8n, 9n),
    control(),
    run(AT - 30_000),
  ],
  core: CORE,
  genesis: GENESIS,
  at: AT,
};

function withFacts(...facts: Fact[]): Case {
  return { ...READY, facts: [...READY.facts, ...facts] };
}

function without(...types: Fact["type"][]): Case {
  return { ...READY, facts: READY.facts.filter(({ type }) => !types.includes(type)) };
}

export function build({ facts, core, genesis, at }: Case, later = 0) {
  const ledger = ledgerOf(facts);
  const built = buildProcess(
    readProcessFacts(ledger, { rowId: 1, id: INSTALLATION }, { core, genesisTimestamp: genesis }),
    at + later,
  );
  ledger.close();
  return built;
}

export function buildWithoutLedger(core: SafeCoreState | undefined) {
  return buildProcess(noProcessFacts(INSTALLATION, core), AT);
}

export const CASES: Readonly<Record<string, Case>> = {
  ready: READY,
  "before-first-settlement": {
    ...READY,
    core: coreAt(0n, 0n, 1_000n),
    facts: [...READY.facts, ...[1n, 2n, 3n, 4n].map((id) => round(id, 10n))],
  },
  empty: {
    ...without("round", "closure"),
    facts: [...without("round", "closure").facts, round(4n, 1n), closure(4n, 4n)],
  },
  disabled: without("settlement_control"),
  "reporter-stale": { ...READY, at: AT + 572_001 },
  blocked: withFacts(control({ blockedReason: "operator_hold", incidentOpen: true, at: 2 })),
  preparing: withFacts(submission({ lifecycle: "preparing", transactionHash: null, submittedAt: null })),
  submitted: withFacts(submission()),
  retrying: withFacts(submission({ lifecycle: "retrying" })),
  confirmed: withFacts(submission({ lifecycle: "confirmed", confirmedAt: AT - 20_000, terminalAt: AT - 10_000 })),
  reverted: withFacts(submission({ lifecycle: "reverted", terminalAt: AT - 10_000, outcomeCode: "reverted" })),
  superseded: withFacts(
    submission({
      lifecycle: "superseded",
      submittedAt: null,
      transactionHash: null,
      terminalAt: AT - 10_000,
      outcomeCode: "superseded",
    }),
  ),
  "run-unfinished": withFacts(run(AT - 1_000, null)),
  "round-ineligible": {
    ...READY,
    facts: READY.facts.map((fact) => (fact.type === "round" && fact.roundId === 8n ? round(8n, 800n, false) : fact)),
  },
  "round-missing": { ...READY, facts: READY.facts.filter((fact) => fact.type !== "round" || fact.roundId !== 5n) },
  "round-not-accepted": { ...READY, facts: [...without("closure").facts, closure(5n, 6n), closure(8n, 9n)] },
  "oracle-blocked": withFacts({ type: "oracle", blockedReason: "signature_mismatch", at: 1 }),
  "oracle-stale": { ...READY, at: AT + 1_140_001 },
  "no-closure": without("closure"),
  "no-measurement": without("receipt"),
  "counter-fault": withFacts(receipt(AT - 10_000, 7_300n, { coreStatus: "COUNTER_FAULT" })),
  "epoch-unapproved": without("epoch"),
  "no-safe-core": { ...READY, core: undefined },
  "no-genesis": { ...READY, genesis: undefined },
};
