/** Validates a parsed JSON object and returns its normalised record or its first fault (docs/spec/intake.md#codes). */
import type * as z from "zod";
import { FUTURE_ALLOWANCE_MS } from "../../../values/freshness.ts";
import { ROUND_SECONDS } from "../../../values/round.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { fieldsOf } from "../../../values/unknown.ts";
import { FACT_KINDS, type FactKind } from "../../schema.ts";
import { FAULT_CODES, type Fault, fault } from "../fault.ts";
import { type IntakeRecord, instantOf, type Json, RECORD_TYPES } from "../record-types.ts";
import { OUT_OF_RANGE } from "./fields.ts";

const KINDS: ReadonlySet<unknown> = new Set(FACT_KINDS);

/** The clock and the rounds by which an instant or a round is in the future. */
export interface Clock {
  /** Epoch ms. */
  readonly now: number;
  /** Start of round 0 in epoch seconds. Without it no round is too late. */
  readonly genesis?: number | undefined;
}

/**
 * Returns the record with instants in epoch milliseconds and hexadecimal text in lower case, or its fault. Instants
 * and ends of rounds ahead of the clock are faults; by default none is too late.
 */
export function decodeRecord(json: Json, clock: Clock = { now: Number.POSITIVE_INFINITY }): IntakeRecord | Fault {
  const { now } = clock;
  const { type } = json;
  if (!KINDS.has(type)) {
    return fault(
      "unknown_type",
      "type",
      type === undefined ? "the record has no type" : `${JSON.stringify(type)} is none of ${FACT_KINDS.join(", ")}`,
    );
  }
  const kind = type as FactKind;
  const { schema, faultBetween, serviceInstants } = RECORD_TYPES[kind];
  const parsed = schema.safeParse(json, { reportInput: false });
  const between = faultBetween?.(json);
  const isAhead = serviceInstants.some((field) => Number(fieldsOf(parsed.data)[field]) - now > FUTURE_ALLOWANCE_MS);
  const unended = parsed.success ? unendedRound(parsed.data, clock) : undefined;
  if (parsed.success && between === undefined && !isAhead && unended === undefined) return parsed.data;
  const faults = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, json, kind))),
    ...(between === undefined ? [] : [between]),
    ...ahead(kind, json, now),
    ...(unended === undefined ? [] : [unended]),
  ];
  return first(faults, kind);
}

/** A round that has not ended cannot have been closed. */
function unendedRound(record: IntakeRecord, { now, genesis }: Clock): Fault | undefined {
  if (genesis === undefined || (record.type !== "round" && record.type !== "closure")) return undefined;
  const [field, round] =
    record.type === "round" ? (["roundId", record.roundId] as const) : (["lastRound", record.lastRound] as const);
  const end = genesis * 1000 + (Number(round) + 1) * ROUND_SECONDS * 1000;
  if (end - now <= FUTURE_ALLOWANCE_MS) return undefined;
  const instant = end <= LATEST_DATE_MS ? formatTimestamp(end) : "far in the future";
  return fault("in_future", field, `by genesisTimestamp ${genesis}, round ${round} ends ${instant}`);
}

/** The last instant of a `Date`, in the year 9999 of timestamps. */
const LATEST_DATE_MS = Date.UTC(10_000, 0) - 1;

function faultsOf(issue: z.core.$ZodIssue, json: Json, kind: FactKind): Fault[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => fault("unknown_field", dotted([...issue.path, key]), `${kind} has no such field`));
  }
  const field = dotted(issue.path);
  if (isMissing(json, issue.path)) return [fault("invalid_field", field, `${field} is required`)];
  const outOfRange = issue.code === "custom" && issue.params?.code === OUT_OF_RANGE;
  return [fault(outOfRange ? "out_of_range" : "invalid_field", field, `${field} ${issue.message}`)];
}

function ahead(kind: FactKind, json: Json, now: number): Fault[] {
  return RECORD_TYPES[kind].serviceInstants.flatMap((field) => {
    const claimed = instantOf(json[field]);
    if (claimed === undefined || claimed - now <= FUTURE_ALLOWANCE_MS) return [];
    const [then, clock] = [formatTimestamp(claimed), formatTimestamp(now)];
    const sentence = `${field} ${then} is more than a minute ahead of this clock, ${clock}`;
    return [fault("in_future", field, sentence)];
  });
}

/** Orders several faults by code, then by the field's place in the table of its type (docs/spec/intake.md#codes). */
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
    const shape: Readonly<Record<string, z.ZodType>> = RECORD_TYPES[kind].schema.shape;
    order = Object.entries(shape).flatMap(([name, schema]) =>
      "shape" in schema ? [name, ...Object.keys(fieldsOf(schema.shape)).map((inner) => `${name}.${inner}`)] : [name],
    );
    orders.set(kind, order);
  }
  return order;
}

function isMissing(json: Json, path: readonly PropertyKey[]): boolean {
  let value: unknown = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return true;
    value = fieldsOf(value)[String(key)];
  }
  return false;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}
