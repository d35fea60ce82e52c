/** The end of a pass: the state at the safe block, the checks that need it, and the last range stored with both. */
import type { ChainEvent } from "../../chain-state.ts";
import type { FailedCheck } from "../../check-name.ts";
import { failedCoreCheck, missingCoreCode } from "../../checks/checks.ts";
import { economyFinding } from "../../checks/economy-finding.ts";
import type { Frontier } from "../../checks/settlement-chain.ts";
import { ContradictingAnswer } from "../../rpc/node-answers.ts";
import { newestOf } from "../../store/read-events.ts";
import { type Reading, readState, type WholeReading, wholeReading } from "../../view/reading.ts";
import { type Answered, answeredCore, type CoreStateRead, wholeCore } from "../../view/state-read.ts";
import { suspectBlocks } from "../blooms.ts";
import { headersOf } from "../fetch-ranges.ts";
import type { Head } from "../head.ts";
import { faultOf } from "../log-checks.ts";
import { type RangeLogs, withBlocks } from "../logs.ts";
import { storeSnapshot } from "../store-snapshot.ts";
import { leftOut, type UnstoredLogs } from "./pass-logs.ts";
import type { PassContext, PassOutcome } from "./pass-types.ts";

/**
 * The binding checks of the Core's state before the first sync, which may take hours: a deployment file that names
 * other contracts is a mismatch at once.
 */
export async function failedBinding(context: PassContext, head: Head): Promise<FailedCheck | undefined> {
  const request = { block: head.safe, expectedImplementation: null, multicall: head.multicall, blocks: [] };
  const reading = await readState(context.node.rpc, context.chain.deployment, request);
  await context.quorum.confirmState(request, reading);
  return failedCheck(context, reading, answeredCore(reading.views));
}

export async function readSafeState(context: PassContext, head: Head, logs: UnstoredLogs): Promise<PassOutcome> {
  const { db, deployment, sources } = context.chain;
  const upgraded = logs.events.findLast((event) => event.eventName === "Upgraded");
  const request = {
    block: head.safe,
    expectedImplementation: (upgraded ?? newestOf(db, "core", "Upgraded", 1)[0])?.arguments[0]?.value,
    multicall: head.multicall,
    blocks: logs.last === undefined ? [] : headersOf(logs.last, logs.bloomsFrom),
  };
  const reading = await readState(context.node.rpc, deployment, request);
  const dated = provenByReading(logs, reading);
  // Before any check: a mismatch that one node shows is no more than its word.
  await context.quorum.confirmState(request, reading);
  if (logs.last !== undefined)
    await context.quorum.confirmRange({ ...logs.last, events: eventsOf(logs.last, dated.events) }, reading.block);
  const core = answeredCore(reading.views);
  const failure = failedCheck(context, reading, core);
  if (failure !== undefined) return { kind: "mismatch", failure };
  const unsettled = differingState(logs.frontier, core);
  if (unsettled !== undefined) {
    return { kind: "fault", fault: faultOf(context, { failure: unsettled, block: head.safe }, dated) };
  }
  if (logs.last !== undefined) {
    const near = [...reading.blocks.values(), reading.block].filter(({ number }) => number >= logs.bloomsFrom);
    const suspects = suspectBlocks(sources, near, dated.events);
    const suspect = context.earlier.suspects.firstNew(suspects, head.safe, context.node);
    if (suspect !== undefined) return leftOut(suspect);
  }
  let whole: { readonly reading: WholeReading; readonly core: CoreStateRead };
  try {
    whole = { reading: wholeReading(reading), core: wholeCore(core, reading.views) };
  } catch (error) {
    if (!(error instanceof ContradictingAnswer)) throw error;
    const economy = economyFinding(deployment, reading, core, undefined);
    const economyMismatch = economy.kind === "mismatch" ? economy.failure : undefined;
    return { kind: "incomplete", message: error.message, economyMismatch };
  }
  return storeSnapshot(context, { head, logs: dated, ...whole });
}

function failedCheck({ chain }: PassContext, reading: Reading, core: Answered<CoreStateRead>): FailedCheck | undefined {
  return missingCoreCode(reading) ?? failedCoreCheck(chain.deployment, reading, core, chain.genesisTimestamp);
}

/** The reading is the proof of the last range's end, and dates what its logs left undated. */
function provenByReading(logs: UnstoredLogs, reading: Reading): UnstoredLogs {
  const { block } = reading;
  if (logs.last === undefined) {
    const { expected } = logs;
    if (expected?.block === block.number && expected.hash !== null && expected.hash !== block.hash) {
      throw new ContradictingAnswer(`two hashes of block ${block.number}`);
    }
    return logs;
  }
  const known = new Map([...reading.blocks, [block.number, block]]);
  return { ...logs, events: withBlocks({ ...logs.last, events: [...logs.events] }, known).events };
}

/** The events of the last range, dated; those before it wait for it and were confirmed with their own ranges. */
function eventsOf({ from }: RangeLogs, events: readonly ChainEvent[]): ChainEvent[] {
  return events.filter(({ blockNumber }) => blockNumber >= from);
}

function differingState(frontier: Frontier, core: Answered<CoreStateRead>): FailedCheck | undefined {
  for (const name of ["settledThroughRound", "cumulativeWork", "blockHeight"] as const) {
    if (core[name] !== undefined && frontier[name] !== core[name]) {
      const detail = `${name} is ${core[name]}, after the last BatchSettled ${frontier[name]}`;
      return { check: "settlement_state", detail };
    }
  }
  return undefined;
}
