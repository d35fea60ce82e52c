/**
 * Slots number ten-minute intervals from 1970-01-01T00:00Z. Genesis is a multiple of 600 s, so each round is one slot,
 * each UTC half hour is three, and each noon-to-noon day is 144.
 */
import { noonDay, noonOf } from "./noon-day.ts";
import { ROUND_MS, ROUND_SECONDS } from "./round.ts";
import { LATEST } from "./timestamp.ts";

export const SLOTS_PER_HALF_HOUR = 3;
export const SLOTS_PER_DAY = 144;

/** Returns the slot of a round; undefined for a round that does not end by the year 9999 and so never elapses. */
export function slotOfRound(genesisSeconds: bigint, roundId: bigint): number | undefined {
  const slot = genesisSeconds / BigInt(ROUND_SECONDS) + roundId;
  return slot < BigInt(LAST_SLOT) ? Number(slot) : undefined;
}

/** Returns the slot of an instant (epoch ms). */
export function slotAt(epochMs: number): number {
  return Math.floor(epochMs / ROUND_MS);
}

/** Returns the first millisecond of a slot (epoch ms). */
export function slotStart(slot: number): number {
  return slot * ROUND_MS;
}

/** Returns the first slot of a noon-to-noon day. */
export function firstSlotOf(day: number): number {
  return noonOf(day) / ROUND_MS;
}

/** Returns the noon-to-noon day of a slot. */
export function dayOfSlot(slot: number): number {
  return noonDay(slotStart(slot));
}

const LAST_SLOT = slotAt(LATEST);
