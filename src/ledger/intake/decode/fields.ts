/**
 * The fields of intake records as zod schemas: what comes out is normalised (instants in epoch milliseconds, UUIDs and
 * hashes in lower case). A refinement marked `OUT_OF_RANGE` is a value of the right form outside its range; every
 * other issue is an invalid field (docs/spec/intake.md#records). The `meta` of each is its JSON Schema, where zod has
 * none for what it refines and transforms.
 */
import * as z from "zod";
import { isCanonicalDecimal, isDecimalAtMost, UINT64_MAX, UINT256_MAX } from "../../../values/decimal.ts";
import { isNameableInstallationId } from "../../../values/installation-id.ts";
import { parseTimestamp } from "../../../values/timestamp.ts";
import { FORMS } from "./forms.ts";

/** The mark by which `decodeRecord` distinguishes out_of_range from invalid_field. */
export const OUT_OF_RANGE = "out_of_range";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const TEXT_MAX = 256;

export const installationId = z
  .string("must be a string")
  .refine(isNameableInstallationId, "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -, and not . or ..")
  .meta(FORMS.installationId);

export const uuid = z
  .string("must be a string")
  .regex(UUID, "must be a UUID: 8-4-4-4-12 hexadecimal digits")
  .toLowerCase()
  .meta(FORMS.uuid);

export const hash = z
  .string("must be a string")
  .regex(HASH, "must be 0x and 64 hexadecimal digits")
  .toLowerCase()
  .meta(FORMS.hash);

/** Epoch milliseconds. */
export const timestamp = z
  .string("must be a string")
  .transform((text, context) => {
    const instant = parseTimestamp(text);
    if (instant !== undefined) return instant;
    context.issues.push({
      code: "custom",
      input: text,
      message: "must be an RFC 3339 timestamp such as 2026-11-20T10:00:00.000Z",
    });
    return z.NEVER;
  })
  .meta(FORMS.timestamp);

/** Any other string. */
export const text = z
  .string("must be a string")
  .refine(isText, "must have 1 to 256 characters, none of them a control character")
  .meta(FORMS.text);

export const boolean = z.boolean("must be true or false").meta(FORMS.boolean);

/** A free part of a module: an object with anything in it. */
export const object = z.custom<Readonly<Record<string, unknown>>>(isObject, "must be an object").meta(FORMS.object);

/** Only checkedAt of a module's health is validated; `reported` is all of it, unchanged. */
export const health = object
  .transform((reported, context) => {
    const checkedAt = timestamp.safeParse(reported.checkedAt);
    if (checkedAt.success) return { checkedAt: checkedAt.data, reported };
    const message = checkedAt.error.issues[0]?.message ?? "is invalid";
    context.issues.push({ code: "custom", input: reported, path: ["checkedAt"], message });
    return z.NEVER;
  })
  .meta(FORMS.health);

export const uint64 = decimal(UINT64_MAX, "2^64 - 1").meta(FORMS.uint64);
export const uint256 = decimal(UINT256_MAX, "2^256 - 1").meta(FORMS.uint256);

/** A safe integer from 0 on. */
export const count = integer(0).meta(FORMS.count);
/** A safe integer from 1 on. */
export const positive = integer(1).meta(FORMS.positive);

export function word<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, `must be one of ${words.join(", ")}`);
}

/** True if a string is allowed in a field without a form of its own: 1 to 256 code points, no control character. */
export function isText(value: string): boolean {
  if (value.length === 0 || value.length > 2 * TEXT_MAX || CONTROL.test(value)) return false;
  return value.length <= TEXT_MAX || [...value].length <= TEXT_MAX;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decimal(max: bigint, name: string) {
  return z
    .string("must be a string")
    .refine(isCanonicalDecimal, "must be a decimal string: 0, or digits without a leading zero")
    .refine((digits) => isDecimalAtMost(digits, max), {
      message: `must be at most ${name}`,
      params: { code: OUT_OF_RANGE },
    });
}

/** 1e400 is read as Infinity, as ECMAScript reads it: a number outside every range. */
function integer(min: number) {
  return z
    .custom<number>(
      (value) => typeof value === "number" && (Number.isInteger(value) || !Number.isFinite(value)),
      "must be an integer",
    )
    .refine((value) => typeof value !== "number" || (value >= min && value <= Number.MAX_SAFE_INTEGER), {
      message: `must be from ${min} to ${Number.MAX_SAFE_INTEGER}`,
      params: { code: OUT_OF_RANGE },
    })
    .transform((value) => (value === 0 ? 0 : value));
}
