/** The end of a pass: the state at the safe block, the checks that need it, and the last range stored with both. */

import { type FailedCheck, failedCoreCheck, missingCoreCode } from "../checks/checks.ts";
import { type EconomyFinding, economyFinding } from "../checks/economy-finding.ts";
import type { Frontier } from "../checks/settlement-chain.ts";
import { confirms, type Doubt } from "../checks/unconfirmed-fault.ts";
import { newestOf } from "../view/read-events.ts";
import { type Reading, readState } from "../view/reading.ts";
import { type CoreStateRead, coreState } from "../view/state-read.ts";
import { coreView, economyView, type Snapshot, safeCoreState, writeSnapshot } from "../view/views.ts";
import type { Head } from "./head.ts";
import { withBlocks } from "./logs.ts";
import { ContradictingAnswer } from "./node-answers.ts";
import type { PassContext, PassOutcome } from "./pass-context.ts";
import { doubtOf, type Held } from "./pass-logs.ts";
import { append } from "./store.ts";

/**
 * The binding checks of the Core's state before the first sync, which may take hours: a deployment file that names
 * other contracts is a mismatch at once.
 */
export async function failedBinding(context: PassContext, head: Head): Promise<FailedCheck | undefined> {
  const reading = await readState(context.node, context.deployment, {
    block: head.safe,
    expectedImplementation: null,
    multicall: head.multicall,
    blocks: [],
  });
  return checkedCore(context, reading).failure;
}

export async function readSafeState(context: PassContext, head: Head, held: Held): Promise<PassOutcome> {
  const { db, deployment, node } = context;
  const upgraded = held.events.findLast((event) => event.eventName === "Upgraded");
  const reading = await readState(node, deployment, {
    block: head.safe,
    expectedImplementation: (upgraded ?? newestOf(db, "core", "Upgraded", 1)[0])?.arguments[0]?.value,
    multicall: head.multicall,
    blocks: [...(held.last?.undated ?? [])].filter((block) => block !== head.safe),
  });
  const dated = provenByReading(held, reading);
  const { core, failure } = checkedCore(context, reading);
  if (failure !== undefined) return { kind: "mismatch", failure };
  const unsettled = differingState(held.frontier, core);
  if (unsettled !== undefined) {
    return { kind: "doubt", doubt: doubtOf(context, unsettled, held.from, head.safe, dated.events) };
  }
  return store(context, head, dated, reading, core);
}

type CheckedCore =
  | { readonly core: CoreStateRead; readonly failure?: undefined }
  | { readonly core?: undefined; readonly failure: FailedCheck };

function checkedCore({ deployment, genesisTimestamp }: PassContext, reading: Reading): CheckedCore {
  const missing = missingCoreCode(reading);
  if (missing !== undefined) return { failure: missing };
  const core = coreState(reading);
  const failure = failedCoreCheck(deployment, reading, core, genesisTimestamp);
  return failure === undefined ? { core } : { failure };
}

/** Stores the last range with the snapshot, in one transaction that a doubt of the economy undoes. */
function store(context: PassContext, head: Head, held: Held, reading: Reading, core: CoreStateRead): PassOutcome {
  const { db, deployment, facts } = context;
  let outcome: PassOutcome | undefined;
  try {
    append(db, {
      expected: held.expected,
      from: held.from,
      events: held.events,
      through: { block: head.safe, hash: reading.block.hash },
      finish() {
        if (held.expected !== undefined && held.from <= held.expected.block) facts.reset();
        const economy = economyFinding(deployment, reading, core, facts.highestFunded(db));
        const doubt = fundingDoubt(context, economy, head, held);
        if (doubt !== undefined) throw new Undone(doubt);
        const snapshot = snapshotOf(context, head, reading, core, economy);
        outcome = { kind: "read", snapshot, economy };
        return { head: head.head, at: context.now(), snapshot: writeSnapshot(snapshot) };
      },
    });
  } catch (error) {
    facts.reset();
    if (error instanceof Undone) return { kind: "doubt", doubt: error.doubt };
    throw error;
  }
  context.onRange({ from: held.from, through: head.safe, safe: head.safe, events: held.events.length });
  if (outcome === undefined) throw new Error("the pass was stored without its outcome");
  return outcome;
}

function snapshotOf(
  { db, deployment, facts }: PassContext,
  head: Head,
  reading: Reading,
  core: CoreStateRead,
  economy: EconomyFinding,
): Snapshot {
  const { source, ...known } = facts.read(db);
  if (source === undefined) throw new ContradictingAnswer("the Core has emitted no event");
  return {
    core: coreView(deployment, reading, core, { ...known, source }, head.head),
    safeCore: safeCoreState(core, known.lastSettlement),
    economy:
      economy.kind === "read" && deployment.economy !== undefined
        ? economyView(deployment.economy, reading, economy.state)
        : undefined,
  };
}

/** A funding above the cursor is believed at the second pass only; the first stores nothing. */
function fundingDoubt(context: PassContext, economy: EconomyFinding, head: Head, held: Held): Doubt | undefined {
  if (economy.kind !== "mismatch" || economy.repairFrom === undefined || context.fundingBelieved) return undefined;
  const doubt = doubtOf(context, economy.failure, held.from, head.safe, held.events);
  const repairFrom = economy.repairFrom < held.from ? economy.repairFrom : held.from;
  return confirms(context.doubt, doubt, context.sameNodeWillDo) ? undefined : { ...doubt, repairFrom };
}

/** The reading is the proof of the last range's end, and dates what its logs left undated. */
function provenByReading(held: Held, reading: Reading): Held {
  const { block } = reading;
  if (held.last === undefined) {
    const { expected } = held;
    if (expected?.block === block.number && expected.hash !== null && expected.hash !== block.hash) {
      throw new ContradictingAnswer(`two hashes of block ${block.number}`);
    }
    return held;
  }
  const known = new Map([...reading.blocks, [block.number, block]]);
  return { ...held, events: withBlocks({ ...held.last, events: [...held.events] }, known).events };
}

function differingState(frontier: Frontier, core: CoreStateRead): FailedCheck | undefined {
  for (const name of ["settledThroughRound", "cumulativeWork", "blockHeight"] as const) {
    if (frontier[name] !== core[name]) {
      const detail = `${name} is ${core[name]}, after the last BatchSettled ${frontier[name]}`;
      return { check: "settlement_state", detail };
    }
  }
  return undefined;
}

class Undone extends Error {
  readonly doubt: Doubt;

  constructor(doubt: Doubt) {
    super(doubt.failure.detail);
    this.doubt = doubt;
  }
}
