/**
 * Computes the work of the open round (docs/spec/api.md#process-builder 3). The rule needs the newest receipt of the
 * epoch observed before an instant, but receipts are ordered by position and may arrive late. Rounds end on multiples
 * of ten minutes. So for each ten-minute slot it keeps in memory the last receipt that no later receipt precedes in
 * time. Each receipt is read once, and any later round end is found among the few that are kept.
 */

import { iterateCountersBack, type Receipt, readEpochStart, readTelemetryIdAt } from "../../ledger/read/receipts.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { ROUND_MS } from "../../values/round.ts";

/** One kept receipt; slots ascend with positions. */
interface Step {
  readonly slot: number;
  readonly cumulativeWorkUnits: string;
}

interface KeptReceipts {
  readonly counterEpoch: string;
  /** Position of the newest receipt that is accounted for. */
  readonly position: number;
  readonly telemetryId: string;
  /** Nothing is known before the first step, unless `fromStart`. */
  readonly steps: Step[];
  readonly fromStart: boolean;
}

const cache = new WeakMap<ReadOnlyDatabase, Map<number, KeptReceipts>>();

/**
 * Returns the work of the newest receipt beyond a base: the newest receipt of its epoch observed before `end` (epoch ms,
 * a multiple of 600 s). If there is none, the base is the epoch's first receipt. Reads the receipts since the last call
 * on the same ledger; the first call reads those observed since `end`.
 */
export function readOpenWork(ledger: ReadOnlyDatabase, installation: number, newest: Receipt, end: bigint): bigint {
  const endSlot = Number(end / BigInt(ROUND_MS));
  let kept = extendKept(ledger, installation, newest, endSlot);
  if (!covers(kept, endSlot)) kept = readBack(ledger, { installation, newest, endSlot });
  kept = dropBefore(kept, endSlot);
  let byInstallation = cache.get(ledger);
  if (byInstallation === undefined) cache.set(ledger, (byInstallation = new Map()));
  byInstallation.set(installation, kept);
  const [step] = kept.steps;
  const base =
    step !== undefined && step.slot < endSlot ? step : readEpochStart(ledger, installation, newest.counterEpoch);
  const open = BigInt(newest.cumulativeWorkUnits) - BigInt((base ?? newest).cumulativeWorkUnits);
  return open > 0n ? open : 0n;
}

function extendKept(ledger: ReadOnlyDatabase, installation: number, newest: Receipt, endSlot: number): KeptReceipts {
  const before = cache.get(ledger)?.get(installation);
  const isUsable =
    before !== undefined &&
    before.counterEpoch === newest.counterEpoch &&
    before.telemetryId === readTelemetryIdAt(ledger, installation, before.position);
  return readBack(ledger, { installation, newest, endSlot }, isUsable ? before : undefined);
}

interface Target {
  readonly installation: number;
  readonly newest: Receipt;
  readonly endSlot: number;
}

/** Reads back from the newest receipt to the first observed before the end, the kept position or the epoch's start. */
function readBack(
  ledger: ReadOnlyDatabase,
  { installation, newest, endSlot }: Target,
  before?: KeptReceipts,
): KeptReceipts {
  const { counterEpoch, position, telemetryId } = newest;
  const start = before?.position ?? (readEpochStart(ledger, installation, counterEpoch)?.position ?? 1) - 1;
  const found: Step[] = [];
  let earliest = Number.POSITIVE_INFINITY;
  for (const receipt of iterateCountersBack(ledger, installation, start, position)) {
    if (receipt.counterEpoch !== counterEpoch) continue;
    const slot = Math.floor(receipt.observedAt / ROUND_MS);
    if (slot >= earliest) continue;
    earliest = slot;
    found.push({ slot, cumulativeWorkUnits: receipt.cumulativeWorkUnits });
    if (slot < endSlot) return { counterEpoch, position, telemetryId, steps: found.toReversed(), fromStart: false };
  }
  const steps = before?.steps ?? [];
  while ((steps.at(-1)?.slot ?? Number.NEGATIVE_INFINITY) >= earliest) steps.pop();
  for (const step of found.toReversed()) steps.push(step);
  return { counterEpoch, position, telemetryId, steps, fromStart: before?.fromStart ?? true };
}

function covers(kept: KeptReceipts, endSlot: number): boolean {
  return kept.fromStart || (kept.steps[0]?.slot ?? Number.POSITIVE_INFINITY) < endSlot;
}

/** Keeps only the last step before the end. If the end ever goes back, the receipts are read again. */
function dropBefore(kept: KeptReceipts, endSlot: number): KeptReceipts {
  const after = kept.steps.findIndex((step) => step.slot >= endSlot);
  const dropped = (after === -1 ? kept.steps.length : after) - 1;
  if (dropped <= 0) return kept;
  return { ...kept, steps: kept.steps.slice(dropped), fromStart: false };
}
