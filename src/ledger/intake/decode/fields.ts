/**
 * Zod schemas for the fields of intake records. Parsed values are normalised: instants in epoch milliseconds, UUIDs and
 * hashes in lower case. A refinement marked `OUT_OF_RANGE` fails for a well-formed value outside its range; every other
 * issue is an invalid field (docs/spec/intake.md#records). `meta` holds the field's form as JSON Schema, because zod
 * exports only the type of a refined or transformed value.
 */
import * as z from "zod";
import { isCanonicalDecimal, isDecimalAtMost, UINT64_MAX, UINT256_MAX } from "../../../values/decimal.ts";
import { isNameableInstallationId, NAMEABLE_ID } from "../../../values/installation-id.ts";
import { parseTimestamp } from "../../../values/timestamp.ts";
import { isObject } from "../../../values/unknown.ts";

/** Lets `decodeRecord` distinguish out_of_range from invalid_field. */
export const OUT_OF_RANGE = "out_of_range";

const HEX = "[0-9a-fA-F]";
const UUID = `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$`;
const HASH = `^0[xX]${HEX}{64}$`;

const LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DAY_OF_ANY_YEAR =
  "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])";
const HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
export const TIMESTAMP_PATTERN = `^(?!0000)(?:[0-9]{4}-(?:${DAY_OF_ANY_YEAR})|${LEAP_YEAR}-02-29)T${HOUR_MINUTE}:[0-5][0-9](?:\\.[0-9]+)?(?:Z|[+-]${HOUR_MINUTE})$`;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const TEXT_MAX = 256;

/** A field that `normalise` accepts, in one step: a chain of zod's own checks takes a third of an ingest's time. */
function field<Value>(normalise: (value: unknown) => Value | Invalid) {
  return z.unknown().transform((value, context): Value => {
    const result = normalise(value);
    if (!(result instanceof Invalid)) return result;
    const { message, params } = result;
    context.issues.push({ code: "custom", input: value, message, ...(params && { params }) });
    return z.NEVER;
  });
}

/** Why a value is invalid. */
class Invalid {
  readonly message: string;
  readonly params: { readonly code: string } | undefined;

  constructor(message: string, code?: typeof OUT_OF_RANGE) {
    this.message = message;
    this.params = code && { code };
  }
}

const NO_STRING = new Invalid("must be a string");

/** A string that `normalise` returns as it is kept; undefined if it is invalid. */
function textField<Value extends string | number>(normalise: (text: string) => Value | undefined, message: string) {
  const invalid = new Invalid(message);
  return field((value) => (typeof value === "string" ? (normalise(value) ?? invalid) : NO_STRING));
}

const matching = (pattern: RegExp) => (value: string) => (pattern.test(value) ? value.toLowerCase() : undefined);

export const installationId = textField(
  (value) => (isNameableInstallationId(value) ? value : undefined),
  "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -, and not . or ..",
).meta({
  type: "string",
  title: "installation",
  description: "1 to 128 characters of A-Z a-z 0-9 . _ : -, not . or ..",
  pattern: NAMEABLE_ID.source,
});

export const uuid = textField(matching(new RegExp(UUID)), "must be a UUID: 8-4-4-4-12 hexadecimal digits").meta({
  type: "string",
  title: "UUID",
  description: "a UUID of any version, in any case; kept in lower case",
  pattern: UUID,
});

export const hash = textField(matching(new RegExp(HASH)), "must be 0x and 64 hexadecimal digits").meta({
  type: "string",
  title: "hash",
  description: "0x and 64 hexadecimal digits, in any case; kept in lower case",
  pattern: HASH,
});

/** Epoch milliseconds. */
export const timestamp = textField(
  parseTimestamp,
  "must be an RFC 3339 timestamp such as 2026-11-20T10:00:00.000Z",
).meta({
  type: "string",
  title: "timestamp",
  description:
    "RFC 3339 with a capital T, seconds, and Z or an offset; years 0001 to 9999 in UTC too; digits beyond the millisecond are cut off",
  pattern: TIMESTAMP_PATTERN,
});

/** Any other string. */
export const text = textField(
  (value) => (isText(value) ? value : undefined),
  "must have 1 to 256 characters, none of them a control character",
).meta({
  type: "string",
  title: "text",
  description: "1 to 256 code points, none of them a control character",
  minLength: 1,
  maxLength: TEXT_MAX,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
});

export const boolean = z.boolean("must be true or false").meta({ title: "boolean", description: "true or false" });

/** An object with any members. */
export const object = z
  .custom<Readonly<Record<string, unknown>>>(isObject, "must be an object")
  .meta({ title: "object", description: "an object with anything in it", type: "object" });

/** Validates checkedAt of a module's health, and drops its other members. */
export const health = object
  .transform((reported, context) => {
    const checkedAt = timestamp.safeParse(reported.checkedAt);
    if (checkedAt.success) return { checkedAt: checkedAt.data };
    const message = checkedAt.error.issues[0]?.message ?? "is invalid";
    context.issues.push({ code: "custom", input: reported, path: ["checkedAt"], message });
    return z.NEVER;
  })
  .meta({
    title: "health",
    description: "an object with checkedAt, a timestamp; its other members are free, usually message and code",
    type: "object",
    required: ["checkedAt"],
    properties: { checkedAt: { type: "string", pattern: TIMESTAMP_PATTERN } },
  });

export const uint64 = decimal("uint64", UINT64_MAX, "2^64 - 1");
export const uint256 = decimal("uint256", UINT256_MAX, "2^256 - 1");

/** A safe integer of at least 0. */
export const count = integer("count", 0);
/** A safe integer of at least 1. */
export const positive = integer("positive", 1);

/** The forms that docs/facts.md describes; fields with a list of allowed words are not among them. */
export const FORMS = [
  installationId,
  uuid,
  hash,
  timestamp,
  text,
  boolean,
  object,
  health,
  uint64,
  uint256,
  count,
  positive,
].map((schema: z.ZodType) => schema.meta() as { title: string; description: string; pattern?: string });

export function word<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, `must be one of ${words.join(", ")}`);
}

/** Returns true if a string is valid as free text: 1 to 256 code points, no control character. */
function isText(value: string): boolean {
  if (value.length === 0 || value.length > 2 * TEXT_MAX || CONTROL.test(value)) return false;
  return value.length <= TEXT_MAX || [...value].length <= TEXT_MAX;
}

function decimal(title: string, max: bigint, name: string) {
  const invalid = new Invalid("must be a decimal string: 0, or digits without a leading zero");
  const tooLarge = new Invalid(`must be at most ${name}`, OUT_OF_RANGE);
  return field((value) => {
    if (typeof value !== "string") return NO_STRING;
    if (!isCanonicalDecimal(value)) return invalid;
    return isDecimalAtMost(value, max) ? value : tooLarge;
  }).meta({
    type: "string",
    title,
    description: `a decimal string without a leading zero, at most ${name}`,
    pattern: `^(?:0|[1-9][0-9]{0,${String(max).length - 1}})$`,
  });
}

/** Infinity is an integer out of range: JSON.parse reads 1e400 as Infinity. */
function integer(title: string, min: number) {
  const invalid = new Invalid("must be an integer");
  const outOfRange = new Invalid(`must be from ${min} to ${Number.MAX_SAFE_INTEGER}`, OUT_OF_RANGE);
  return field((value) => {
    if (typeof value !== "number" || (Number.isFinite(value) && !Number.isInteger(value))) return invalid;
    if (!(value >= min && value <= Number.MAX_SAFE_INTEGER)) return outOfRange;
    // −0 is kept as 0.
    return value === 0 ? 0 : value;
  }).meta({
    title,
    description: `an integer from ${min} to 2^53 - 1`,
    type: "integer",
    minimum: min,
    maximum: Number.MAX_SAFE_INTEGER,
  });
}
