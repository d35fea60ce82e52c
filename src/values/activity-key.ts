/**
 * Sort keys of events in the activity, which runs from the highest key to the lowest by code units
 * (docs/spec/api.md#activity-order). A key begins with occurredAt. At the same instant a chain event (`1`) sorts above
 * a measurement event (`0`). Then come block, transaction and log, or receipt position and the rest of the event's id.
 * Block times never decrease, so the order also matches the chain's order within its categories.
 */
import { EARLIEST } from "./timestamp.ts";

/** `occurredAt` in epoch ms. */
export function chainEventKey(
  occurredAt: number,
  position: { readonly blockNumber: bigint; readonly transactionIndex: number; readonly logIndex: number },
): string {
  const { blockNumber, transactionIndex, logIndex } = position;
  return `${instant(occurredAt)}1${digits(blockNumber, 16)}${digits(transactionIndex, 10)}${digits(logIndex, 10)}`;
}

/** `suffix` is the part of the event's id after the position: type and milestone or value. */
export function measurementEventKey(occurredAt: number, position: number, suffix: string): string {
  return `${instant(occurredAt)}0${digits(position, 16)}${suffix}`;
}

/** Returns the `suffix` of a measurement event's key. */
export function measurementSuffix(key: string): string {
  return key.slice(15 + 1 + 16);
}

/** Returns true if a text has the form of an event's key; the event need not exist. */
export function isActivityKey(text: string): boolean {
  return /^\d{15}(?:1\d{36}|0\d{16}measurement\.[a-z_]{1,64}-\d{1,78})$/.test(text);
}

/** Milliseconds since the year 1, which are never negative. */
function instant(epochMs: number): string {
  return digits(epochMs - EARLIEST, 15);
}

function digits(value: number | bigint, length: number): string {
  return String(value).padStart(length, "0");
}
