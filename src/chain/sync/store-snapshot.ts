/** The last range of a pass, stored with its snapshot in one transaction, which a fault of the economy undoes. */
import { type EconomyFinding, economyFinding } from "../checks/economy-finding.ts";
import { confirms, type UnconfirmedFault } from "../checks/unconfirmed-fault.ts";
import { ContradictingAnswer } from "../rpc/node-answers.ts";
import { append } from "../store/append.ts";
import type { WholeReading } from "../view/reading.ts";
import type { CoreStateRead } from "../view/state-read.ts";
import { coreView, economyView, type Snapshot, safeCoreState, writeSnapshot } from "../view/views.ts";
import type { Head } from "./head.ts";
import { faultOf } from "./log-checks.ts";
import type { UnstoredLogs } from "./pass/pass-logs.ts";
import type { PassContext, PassOutcome } from "./pass/pass-types.ts";

/** All that a pass knows at the safe block; the checks of the Core hold. */
export interface SafeState {
  readonly head: Head;
  readonly logs: UnstoredLogs;
  readonly reading: WholeReading;
  readonly core: CoreStateRead;
}

export function storeSnapshot(context: PassContext, state: SafeState): PassOutcome {
  const { db, deployment, facts, now } = context.chain;
  const { head, logs, reading, core } = state;
  let outcome: PassOutcome | undefined;
  try {
    append(db, {
      expected: logs.expected,
      from: logs.from,
      events: logs.events,
      through: { block: head.safe, hash: reading.block.hash },
      finish() {
        if (logs.expected !== undefined && logs.from <= logs.expected.block) facts.reset();
        const economy = economyFinding(deployment, reading, core, facts.highestFunded(db));
        const fault = fundingFault(context, economy, state);
        if (fault !== undefined) throw new Undone(fault);
        const snapshot = snapshotOf(context, state, economy);
        outcome = { kind: "read", snapshot, economy };
        return { head: head.head, at: now(), snapshot: writeSnapshot(snapshot) };
      },
    });
  } catch (error) {
    facts.reset();
    if (error instanceof Undone) return { kind: "fault", fault: error.fault };
    throw error;
  }
  context.listener.onRange({ from: logs.from, through: head.safe, safe: head.safe, events: logs.events.length });
  if (outcome === undefined) throw new Error("the pass was stored without its outcome");
  return outcome;
}

function snapshotOf({ chain }: PassContext, { head, reading, core }: SafeState, economy: EconomyFinding): Snapshot {
  const { db, deployment, facts } = chain;
  const { source, ...known } = facts.read(db);
  if (source === undefined) throw new ContradictingAnswer("the Core has emitted no event");
  return {
    core: coreView({ deployment, reading, core, head: head.head, facts: { ...known, source } }),
    safeCore: safeCoreState(core, known.lastSettlement),
    economy:
      economy.kind === "read" && deployment.economy !== undefined
        ? economyView(deployment.economy, reading, economy.state)
        : undefined,
  };
}

/** A funding above the cursor counts at the second pass only; the first stores nothing. */
function fundingFault(
  context: PassContext,
  economy: EconomyFinding,
  { head, logs }: SafeState,
): UnconfirmedFault | undefined {
  const { earlier, node } = context;
  if (economy.kind !== "mismatch" || economy.repairFrom === undefined || earlier.isFundingConfirmed) return undefined;
  const fault = faultOf(context, { failure: economy.failure, block: head.safe }, logs);
  const repairFrom = economy.repairFrom < logs.from ? economy.repairFrom : logs.from;
  return confirms(earlier.fault, fault, node.answersAlone) ? undefined : { ...fault, repairFrom };
}

class Undone extends Error {
  readonly fault: UnconfirmedFault;

  constructor(fault: UnconfirmedFault) {
    super(fault.failure.detail);
    this.fault = fault;
  }
}
