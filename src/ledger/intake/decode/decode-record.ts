/** One parsed JSON object → one normalised record, or the first fault that counts (docs/spec/intake.md#codes). */
import type * as z from "zod";
import { compareDecimals, isCanonicalDecimal } from "../../../values/decimal.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../values/freshness.ts";
import { formatTimestamp, parseTimestamp } from "../../../values/timestamp.ts";
import { FACT_KINDS, type FactKind } from "../../schema.ts";
import { FAULT_CODES, type Fault, fault } from "../fault.ts";
import { OUT_OF_RANGE } from "./fields.ts";
import { type IntakeRecord, RECORD_SCHEMAS } from "./records.ts";

type Json = Readonly<Record<string, unknown>>;

const KINDS: ReadonlySet<unknown> = new Set(FACT_KINDS);

/**
 * The record with its instants in epoch milliseconds and its letters in one case, or why there is none. `now` is the
 * clock that instants must not be ahead of (epoch ms); without one none is.
 */
export function decodeRecord(json: Json, now = Number.POSITIVE_INFINITY): IntakeRecord | Fault {
  const { type } = json;
  if (!KINDS.has(type)) {
    return fault("unknown_type", "type", type === undefined ? "the record has no type" : "no record type of this name");
  }
  const kind = type as FactKind;
  const parsed = RECORD_SCHEMAS[kind].safeParse(json, { reportInput: false });
  const faults = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, json, kind))),
    ...unrelated(kind, json),
    ...ahead(kind, json, now),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  return first(faults, kind);
}

function faultsOf(issue: z.core.$ZodIssue, json: Json, kind: FactKind): Fault[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => fault("unknown_field", dotted([...issue.path, key]), `${kind} has no such field`));
  }
  const field = dotted(issue.path);
  if (isMissing(json, issue.path)) return [fault("invalid_field", field, `${field} is required`)];
  const outOfRange = issue.code === "custom" && issue.params?.code === OUT_OF_RANGE;
  return [fault(outOfRange ? "out_of_range" : "invalid_field", field, `${field} ${issue.message}`)];
}

/** Faults between two fields that are each well formed, whatever else is wrong with the record. */
function unrelated(kind: FactKind, json: Json): Fault[] {
  if (kind === "closure") {
    const { firstRound, lastRound } = json;
    if (isDecimal(firstRound) && isDecimal(lastRound) && compareDecimals(lastRound, firstRound) < 0) {
      return [fault("invalid_field", "lastRound", "lastRound is below firstRound")];
    }
  }
  if (kind === "reporter_run") {
    const { startedAt, finishedAt, result } = json;
    const [started, finished] = [instant(startedAt), instant(finishedAt)];
    if (started !== undefined && finished !== undefined && finished < started) {
      return [fault("invalid_field", "finishedAt", "finishedAt is before startedAt")];
    }
    if ((finished !== undefined && result === null) || (finishedAt === null && typeof result === "string")) {
      return [fault("invalid_field", "result", "finishedAt and result are null together, while the run lasts")];
    }
  }
  return [];
}

/**
 * The instants of each kind that are compared with this clock: those that the receiving service set. A receipt's observedAt
 * and a module's health come from the device's own clock (docs/spec/intake.md#future).
 */
const JUDGED_INSTANTS: Readonly<Record<FactKind, readonly string[]>> = {
  receipt: ["receivedAt"],
  epoch: ["approvedAt"],
  module: ["observedAt"],
  round: ["closedAt"],
  closure: ["acceptedAt"],
  oracle: ["at"],
  submission: ["preparedAt", "submittedAt", "terminalAt", "confirmedAt"],
  reporter_run: ["startedAt", "finishedAt"],
  settlement_control: ["at"],
};

function ahead(kind: FactKind, json: Json, now: number): Fault[] {
  return JUDGED_INSTANTS[kind].flatMap((field) => {
    const claimed = instant(json[field]);
    if (claimed === undefined || claimed - now <= FUTURE_ALLOWANCE_MS) return [];
    const [then, clock] = [formatTimestamp(claimed), formatTimestamp(now)];
    const sentence = `${field} ${then} is more than a minute ahead of this clock, ${clock}; --allow-future takes it all the same`;
    return [fault("in_future", field, sentence)];
  });
}

/** If there are several faults, the first code counts, then the first field in its table's order (docs/spec/intake.md#codes). */
function first(faults: readonly Fault[], kind: FactKind): Fault {
  const fields = fieldOrder(kind);
  const rank = ({ code, field }: Fault): number => {
    const place = field === null ? -1 : fields.indexOf(field);
    return FAULT_CODES.indexOf(code) * 1000 + (place < 0 ? fields.length : place);
  };
  const [best, ...others] = faults.toSorted((one, other) => rank(one) - rank(other)) as [Fault, ...Fault[]];
  return fault(best.code, best.field, best.sentence, others);
}

const orders = new Map<FactKind, string[]>();

function fieldOrder(kind: FactKind): string[] {
  let order = orders.get(kind);
  if (order === undefined) {
    const shape: Readonly<Record<string, z.ZodType>> = RECORD_SCHEMAS[kind].shape;
    order = Object.entries(shape).flatMap(([name, schema]) =>
      "shape" in schema ? [name, ...Object.keys(schema.shape as object).map((inner) => `${name}.${inner}`)] : [name],
    );
    orders.set(kind, order);
  }
  return order;
}

function isMissing(json: Json, path: readonly PropertyKey[]): boolean {
  let value: unknown = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return false;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}

function isDecimal(value: unknown): value is string {
  return typeof value === "string" && isCanonicalDecimal(value);
}

function instant(value: unknown): number | undefined {
  return typeof value === "string" ? parseTimestamp(value) : undefined;
}
