/**
 * The forms that a field may have (docs/spec/intake.md#records), as JSON Schema: of what zod refines or transforms, its
 * own output keeps the type alone.
 */

const DIGIT = "[0-9]";
const HEX = "[0-9a-fA-F]";

export const INSTALLATION_ID_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,128}$";
const UUID = `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$`;
const HASH = `^0[xX]${HEX}{64}$`;

const LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DAY_OF_ANY_YEAR =
  "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])";
const HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const TIMESTAMP = `^(?!0000)(?:[0-9]{4}-(?:${DAY_OF_ANY_YEAR})|${LEAP_YEAR}-02-29)T${HOUR_MINUTE}:[0-5][0-9](?:\\.[0-9]+)?(?:Z|[+-]${HOUR_MINUTE})$`;

export const FORMS = {
  installationId: {
    title: "installation",
    description: "1 to 128 characters of A-Z a-z 0-9 . _ : -, not . or ..",
    pattern: INSTALLATION_ID_PATTERN,
  },
  uuid: { title: "UUID", description: "a UUID of any version, in any case; kept in lower case", pattern: UUID },
  hash: { title: "hash", description: "0x and 64 hexadecimal digits, in any case; kept in lower case", pattern: HASH },
  timestamp: {
    title: "timestamp",
    description:
      "RFC 3339 with a capital T, seconds, and Z or an offset; years 0001 to 9999 in UTC too; digits beyond the millisecond are cut off",
    pattern: TIMESTAMP,
  },
  text: {
    title: "text",
    description: "1 to 256 code points, none of them a control character",
    minLength: 1,
    maxLength: 256,
    pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
  },
  boolean: { title: "boolean", description: "true or false" },
  object: { title: "object", description: "an object with anything in it", type: "object" },
  health: {
    title: "health",
    description: "an object with checkedAt, a timestamp; the rest is free, message and code by custom",
    type: "object",
    required: ["checkedAt"],
    properties: { checkedAt: { type: "string", pattern: TIMESTAMP } },
  },
  uint64: {
    title: "uint64",
    description: "a decimal string without a leading zero, at most 2^64 - 1",
    pattern: `^(?:0|[1-9]${DIGIT}{0,19})$`,
  },
  uint256: {
    title: "uint256",
    description: "a decimal string without a leading zero, at most 2^256 - 1",
    pattern: `^(?:0|[1-9]${DIGIT}{0,77})$`,
  },
  count: { title: "count", description: "an integer from 0 to 2^53 - 1", ...integerFrom(0) },
  positive: { title: "positive", description: "an integer from 1 to 2^53 - 1", ...integerFrom(1) },
} as const;

function integerFrom(minimum: number) {
  return { type: "integer", minimum, maximum: Number.MAX_SAFE_INTEGER } as const;
}
