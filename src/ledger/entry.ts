/**
 * The text of a log entry (docs/spec/intake.md#log): an accepted record as canonical JSON, with sorted keys, instants in
 * UTC, and without the fields that intake drops. Ledgers and published logs have the hashes of these texts, so a change
 * of a text requires a new ledger schema.
 */
import type * as z from "zod";
import { isObject } from "../values/unknown.ts";
import { type IntakeRecord, instantFields, type Json, RECORD_TYPES, withDroppedFields } from "./intake/record-types.ts";
import type { Receipt } from "./read/receipts.ts";
import type { FactKind } from "./schema.ts";

/** Returns the text of an accepted record. */
export function entryText(record: IntakeRecord): string {
  return membersText(record, membersOf(record.type));
}

/** Returns the text of a receipt from its columns. */
export function receiptText(installationId: string, receipt: Omit<Receipt, "position">): string {
  return membersText({ ...receipt, type: "receipt", installationId }, membersOf("receipt"));
}

interface Member {
  readonly name: string;
  /** The name as JSON, with a colon. */
  readonly label: string;
  readonly isInstant: boolean;
}

const members = new Map<FactKind, readonly Member[]>();

/** The members of a type's texts in their order. */
function membersOf(kind: FactKind): readonly Member[] {
  const known = members.get(kind);
  if (known !== undefined) return known;
  const { schema, dropped = [] }: { readonly schema: z.ZodObject; readonly dropped?: readonly string[] } =
    RECORD_TYPES[kind];
  const names = Object.keys(schema.shape).filter((name) => !dropped.includes(name));
  const made = memberList(names, instantFields(kind));
  members.set(kind, made);
  return made;
}

function memberList(names: readonly string[], instants: readonly string[]): Member[] {
  const sorted = names.toSorted((one, other) => (one < other ? -1 : 1));
  return sorted.map((name) => ({ name, label: `${JSON.stringify(name)}:`, isInstant: instants.includes(name) }));
}

function membersText(value: Json, list: readonly Member[]): string {
  let text = "{";
  for (const { name, label, isInstant } of list) {
    if (text.length > 1) text += ",";
    text += label + valueText(value[name], isInstant);
  }
  return `${text}}`;
}

function valueText(value: unknown, isInstant: boolean): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return isInstant ? `"${timestampText(value)}"` : String(value);
  if (!isObject(value)) return JSON.stringify(value);
  return membersText(value, memberList(Object.keys(value), NESTED_INSTANTS));
}

/** The instants of a module's health. */
const NESTED_INSTANTS = ["checkedAt"];

/** Returns the text of an entry as a line that intake accepts, without its line end. */
export function intakeLine(text: string): string {
  return JSON.stringify(withDroppedFields(JSON.parse(text) as Json));
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
