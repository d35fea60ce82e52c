/**
 * Compares the settled batches of the chain with the rounds of the log (docs/spec/log.md#reconciliation). Round ids, work and
 * counts are bigint.
 */
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { type EventName, eventLog, integerArgument } from "../../../src/chain/store/read-events.ts";
import { iterateRounds } from "../../../src/ledger/read/rounds.ts";
import type { ReadOnlyDatabase } from "../../../src/sqlite/statement.ts";
import { START } from "../../../src/values/log.ts";

export interface Reconciled {
  /** Count of settled batches. */
  readonly batches: number;
  /** Count of the batches with work in rounds that the log lacks. */
  readonly unknown: number;
  /** How batches differ from the log. */
  readonly differences: readonly string[];
}

const EVENTS: readonly EventName[] = [
  ["core", "WorkRecorded"],
  ["core", "BatchSettled"],
];
const READ_EVENTS = 1_000;

export interface Settlements {
  readonly ledger: ReadOnlyDatabase;
  /** The row id of the installation; undefined if the log has none of its facts. */
  readonly installation: number | undefined;
  /** The file of the chain. */
  readonly events: ReadOnlyDatabase;
  readonly safeBlock: bigint;
}

/** Reads the chain's events and the rounds once, in order, so its memory does not grow with the history. */
export function reconcile({ ledger, installation, events, safeBlock }: Settlements): Reconciled {
  const log = eventLog(events, EVENTS, safeBlock);
  /** The recorded work of rounds that are not settled yet. */
  const recorded = new Map<bigint, bigint>();
  const differences: string[] = [];
  let [batches, unknown, workBefore] = [0, 0, 0n];
  for (let position = START; log.hasMore(position); ) {
    const { facts, through } = log.read(position, READ_EVENTS);
    position = through;
    for (const event of facts) {
      if (event.eventName === "WorkRecorded") {
        const round = integerArgument(event, "round");
        recorded.set(round, (recorded.get(round) ?? 0n) + integerArgument(event, "workUnits"));
        continue;
      }
      const cumulativeWork = integerArgument(event, "cumulativeWork");
      const work = cumulativeWork - workBefore;
      workBefore = cumulativeWork;
      batches++;
      const found = compareBatch(event, work, { ledger, installation, recorded });
      if (found === "unknown") unknown++;
      else differences.push(...found);
    }
  }
  return { batches, unknown, differences };
}

function compareBatch(
  batch: ChainEvent,
  work: bigint,
  {
    ledger,
    installation,
    recorded,
  }: Pick<Settlements, "ledger" | "installation"> & { readonly recorded: Map<bigint, bigint> },
): readonly string[] | "unknown" {
  const previous = integerArgument(batch, "previousSettledThroughRound");
  const last = integerArgument(batch, "settledThroughRound");
  const name = `rounds ${previous + 1n} to ${last}, settled in block ${batch.blockNumber}`;
  const differences: string[] = [];
  let [rounds, active, sum] = [0n, 0n, 0n];
  const closed = installation === undefined ? [] : iterateRounds(ledger, installation, previous, last);
  for (const { roundId, workUnits } of closed) {
    rounds++;
    sum += workUnits;
    if (workUnits > 0n) active++;
    const onChain = recorded.get(roundId);
    if (onChain !== undefined && onChain !== workUnits) {
      differences.push(
        `round ${roundId} has ${workUnits} work units in the log, and ${onChain} are recorded on the chain`,
      );
    }
  }
  for (const round of recorded.keys()) if (round <= last) recorded.delete(round);
  const settled = integerArgument(batch, "activeRoundCount");
  // A round that the log lacks may be one without work.
  const isWhole = rounds === last - previous;
  const differs = (inLog: bigint, onChain: bigint) => (isWhole ? inLog !== onChain : inLog > onChain);
  if (differs(sum, work)) differences.push(`${name}: the log has ${sum} work units, and the batch ${work}`);
  if (differs(active, settled)) {
    differences.push(`${name}: the log has ${active} rounds with work, and the batch ${settled}`);
  }
  return differences.length === 0 && (sum < work || active < settled) ? "unknown" : differences;
}
