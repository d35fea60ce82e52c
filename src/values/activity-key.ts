/**
 * The place of an event in the activity as a text (docs/spec/api.md#activity-order). The activity runs from the highest to
 * the lowest by code units. The text begins with occurredAt. A chain event (`1`) goes before a measurement event (`0`) of the
 * same instant. Then come block, transaction and log, or receipt position and the rest of the event's id. The blocks of a
 * chain never go back in time, so this is also the order by position of the chain's own categories.
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

/** `suffix` is what follows the position in the event's id: type and milestone or value. */
export function measurementEventKey(occurredAt: number, position: number, suffix: string): string {
  return `${instant(occurredAt)}0${digits(position, 16)}${suffix}`;
}

/** The `suffix` of a measurement event's key. */
export function measurementSuffix(key: string): string {
  return key.slice(15 + 1 + 16);
}

/** True if a text has the form of an event's key; the event need not exist. */
export function isActivityKey(text: string): boolean {
  return /^\d{15}(?:1\d{36}|0\d{16}measurement\.[a-z_]{1,64}-\d{1,78})$/.test(text);
}

/** From the year 1 on, so that no instant is negative. */
function instant(epochMs: number): string {
  return digits(epochMs - EARLIEST, 15);
}

function digits(value: number | bigint, length: number): string {
  return String(value).padStart(length, "0");
}
