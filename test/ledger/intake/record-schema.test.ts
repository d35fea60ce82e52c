// The printed schemas match intake: they accept its examples and reject what it rejects.
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { submissionFault } from "../../../src/ledger/intake/accept/accept-submission.ts";
import { decodeRecord } from "../../../src/ledger/intake/decode/decode-record.ts";
import { TIMESTAMP_PATTERN } from "../../../src/ledger/intake/decode/fields.ts";
import { isFault } from "../../../src/ledger/intake/fault.ts";
import { intakeSchema, recordSchema } from "../../../src/ledger/intake/record-schema.ts";
import { RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import { FACT_KINDS, type FactKind } from "../../../src/ledger/schema.ts";
import { parseTimestamp } from "../../../src/values/timestamp.ts";

type Json = Record<string, unknown>;

const ajv = new Ajv2020({ strict: true });
const ofAny = ajv.compile(intakeSchema());
const ofKind = Object.fromEntries(FACT_KINDS.map((kind) => [kind, ajv.compile(recordSchema(kind))]));

/** Validation without a ledger: a record's format, and a submission's own consistency. */
function isTaken(line: Json): boolean {
  const record = decodeRecord(line);
  if (isFault(record)) return false;
  return record.type !== "submission" || submissionFault(record, undefined) === undefined;
}

const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  1,
  7,
  16,
  17,
  -1,
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  {},
  [],
  { a: 1 },
  "",
  "0",
  "7",
  "007",
  "-1",
  "1.5",
  "18446744073709551615",
  "9".repeat(21),
  "9".repeat(79),
  "x",
  " ",
  "a\u0000b",
  "\u0085",
  "😀".repeat(256),
  "😀".repeat(257),
  ".",
  "..",
  "...",
  "a/b",
  "x".repeat(128),
  "x".repeat(129),
  "x".repeat(256),
  "x".repeat(257),
  "018F6F2E-9c50-7a1b-8c2d-000000000001",
  "018f6f2e9c507a1b8c2d000000000001",
  "{018f6f2e-9c50-7a1b-8c2d-000000000001}",
  `0x${"aB".repeat(32)}`,
  `0X${"ab".repeat(32)}`,
  "ab".repeat(32),
  `0x${"ab".repeat(31)}`,
  "2026-11-20T10:30:00Z",
  "2026-11-20T10:30:00.123456+05:30",
  "2026-11-20t10:30:00Z",
  "2026-11-20T10:30Z",
  "2026-02-29T10:30:00Z",
  "2024-02-29T10:30:00Z",
  "2026-11-20T24:00:00Z",
  "2026-11-20T10:30:60Z",
  "2026-11-20T10:30:00",
  "2026-11-20 10:30:00Z",
  "0000-01-01T00:00:00Z",
  "hardware",
  "Hardware",
  "IDLE",
  "ready",
  "preparing",
  "submitted",
  "retrying",
  "confirmed",
  "reverted",
  "superseded",
  "failed",
  "epoch",
];

test.each(FACT_KINDS)("%s: each field of its example, changed in every way, gets intake's verdict", (kind) => {
  const differing = changed(kind).filter(({ line }) => ofKind[kind]?.(line) !== isTaken(line));
  expect(differing.map(({ change }) => change)).toEqual(
    // A JSON schema cannot compare two well-formed fields.
    changed(kind)
      .filter(({ line }) => isBetweenFields(line))
      .map(({ change }) => change),
  );
  expect(changed(kind).some(({ line }) => isTaken(line))).toBe(true);
});

test("the schema of any line accepts each example, and the same changes as the type's own schema", () => {
  for (const kind of FACT_KINDS) {
    expect(ofAny(RECORD_TYPES[kind].example), kind).toBe(true);
    for (const { change, line } of changed(kind)) {
      const own = (line as { type?: unknown }).type === kind ? ofKind[kind]?.(line) : isTaken(line);
      expect.soft(ofAny(line), change).toBe(own);
    }
  }
});

test("a timestamp's pattern follows the calendar", () => {
  const pattern = new RegExp(TIMESTAMP_PATTERN, "u");
  const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, "0"));
  const small = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
  // The years at both ends leave the range only by their offset, which a pattern cannot add up.
  const year = fc.integer({ min: 2, max: 9998 }).map((n) => String(n).padStart(4, "0"));
  const end = fc.oneof(
    fc.constant("Z"),
    fc.tuple(fc.constantFrom("+", "-"), small(25), small(61)).map(([s, h, m]) => `${s}${h}:${m}`),
  );
  const text = fc
    .tuple(
      year,
      small(13),
      small(32),
      small(25),
      small(61),
      fc.oneof(small(61), two),
      fc.constantFrom("", ".", ".1", ".123456789"),
      end,
    )
    .map(([y, mo, d, h, mi, s, f, e]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${f}${e}`);
  fc.assert(
    fc.property(text, (t) => pattern.test(t) === (parseTimestamp(t) !== undefined)),
    { numRuns: 2000 },
  );
  const days = Array.from({ length: 40_000 }, (_, day) => new Date(Date.UTC(1895, 0, 1 + day)).toISOString());
  expect(days.filter((day) => !pattern.test(day))).toEqual([]);
  expect(["1900", "2100", "2023", "2000", "2024"].map((y) => pattern.test(`${y}-02-29T00:00:00Z`))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

/** The example with one field set to each value, omitted, or added. */
function changed(kind: FactKind): { change: string; line: Json }[] {
  const example: Json = RECORD_TYPES[kind].example;
  const fields = Object.entries(example).flatMap(([name, value]) =>
    typeof value === "object" && value !== null
      ? [[name], ...Object.keys(value).map((inner) => [name, inner])]
      : [[name]],
  );
  return [...fields, ["extra"]].flatMap((path) =>
    VALUES.map((value) => ({
      change: `${path.join(".")} = ${JSON.stringify(value)?.slice(0, 60)}`,
      line: withField(example, path, value),
    })),
  );
}

function withField(example: Json, [name = "", inner]: readonly string[], value: unknown): Json {
  const put = inner === undefined ? value : withField(example[name] as Json, [inner], value);
  const line = { ...example, [name]: put };
  if (put === undefined) delete line[name];
  return line;
}

/** Rejected only because of the combination of two well-formed fields. */
function isBetweenFields(line: Json): boolean {
  const record = decodeRecord(line);
  if (isFault(record)) return record.others.length === 0 && /(?:is below|is before) \w+$/.test(record.sentence);
  const fault = record.type === "submission" ? submissionFault(record, undefined) : undefined;
  return fault !== undefined && /is above|is not before|settledThroughRound - /.test(fault.sentence);
}
