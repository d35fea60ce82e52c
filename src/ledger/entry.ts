/**
 * The text of a log entry (docs/spec/intake.md#log): an accepted record as canonical JSON, with sorted keys, instants in
 * UTC, and without the fields that intake drops. Ledgers and published logs have the hashes of these texts, so a change of
 * a text requires a new ledger schema.
 */
import { type IntakeRecord, instantFields, type Json, RECORD_TYPES, withDroppedFields } from "./intake/record-types.ts";
import type { Receipt } from "./read/receipts.ts";

/** Returns the text of an accepted record. */
export function entryText(record: IntakeRecord): string {
  if (record.type === "receipt") return receiptText(record.installationId, record);
  const { dropped = [] } = RECORD_TYPES[record.type];
  const instants = instantFields(record.type);
  const textOf = (value: unknown, name: string): string => {
    if (typeof value === "number" && instants.includes(name)) return `"${timestampText(value)}"`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const members = Object.entries(value).filter(([key]) => !dropped.includes(key));
    const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member, key)}`).join(",")}}`;
  };
  return textOf(record, "");
}

/** Returns the text of an entry as a line that intake accepts, without its line end. */
export function intakeLine(text: string): string {
  return JSON.stringify(withDroppedFields(JSON.parse(text) as Json));
}

/** Returns the text of a receipt. Most entries are receipts, so it is made without a generic serializer. */
export function receiptText(installationId: string, receipt: Omit<Receipt, "position">): string {
  return (
    `{"bootId":"${receipt.bootId}","coreStatus":"${receipt.coreStatus}","counterEpoch":"${receipt.counterEpoch}",` +
    `"cumulativeWorkUnits":"${receipt.cumulativeWorkUnits}","distanceMm":${receipt.distanceMm},` +
    `"installationId":${quoted(installationId)},"observedAt":"${timestampText(receipt.observedAt)}",` +
    `"provenance":"${receipt.provenance}","receivedAt":"${timestampText(receipt.receivedAt)}",` +
    `"rpmMilli":${receipt.rpmMilli},"sequence":${receipt.sequence},"softwareVersion":${quoted(receipt.softwareVersion)},` +
    `"speedMmPerSecond":${receipt.speedMmPerSecond},"telemetryId":"${receipt.telemetryId}","type":"receipt"}`
  );
}

const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const DAY = 86_400_000;
let lastDay = Number.NaN;
let lastDate = "";

/** Returns an instant (epoch ms) as ISO 8601. Neighbours usually have the same day, so it is computed once. */
function timestampText(at: number): string {
  const day = Math.floor(at / DAY);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(at).toISOString().slice(0, 11);
  }
  const ms = at - day * DAY;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return (
    `${lastDate}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.` +
    `${String(ms % 1000).padStart(3, "0")}Z`
  );
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
