/**
 * The shared value types (docs/spec/api.md#values) and the values of query parameters, each a component of its own.
 * A parameter and a field with the same values share one component: some client generators reject two enums of one name.
 */
import * as z from "zod";
import { CATEGORIES } from "../../resources/activity/route.ts";
import { chainAddress, chainHash, timestamp, uuid } from "../../resources/fields.ts";
import { SETTLEMENT_RANGES } from "../../resources/settlements/route.ts";
import { RANGES } from "../../resources/statistics/route.ts";
import { uint64String, uint256String } from "../../values/decimal.ts";
import type { JsonSchema } from "./json-schema.ts";

const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);

interface ValueType {
  readonly schema: z.ZodType;
  /** A rule of a zod refinement that its JSON Schema lacks. */
  readonly restored?: JsonSchema;
  readonly description: string;
}

const VALUE_TYPES: Readonly<Record<string, ValueType>> = {
  Timestamp: {
    schema: timestamp,
    restored: { format: "date-time" },
    description: "ISO 8601 in UTC with three decimals. docs/spec/api.md#values",
  },
  Date: { schema: date, restored: { format: "date" }, description: "A calendar date. docs/spec/api.md#values" },
  Uint256: {
    schema: uint256String,
    restored: { minLength: 1 },
    description: "A decimal string below 2^256, without leading zeros. docs/spec/api.md#values",
  },
  Uint64: {
    schema: uint64String,
    restored: { minLength: 1 },
    description: "A decimal string below 2^64, without leading zeros. docs/spec/api.md#values",
  },
  Uuid: { schema: uuid, description: "8-4-4-4-12 hexadecimal digits in lower case. docs/spec/api.md#values" },
  Hash: { schema: chainHash, description: "0x and 64 hexadecimal digits in lower case. docs/spec/api.md#values" },
  Address: { schema: chainAddress, description: "0x and 40 hexadecimal digits. docs/spec/api.md#values" },
  StatisticsRange: { schema: z.enum(RANGES), description: "A window of days. docs/spec/api.md#statistics" },
  SettlementRange: { schema: z.enum(SETTLEMENT_RANGES), description: "A window. docs/spec/api.md#settlements" },
  ActivityCategory: { schema: z.enum(CATEGORIES), description: "Which events. docs/spec/api.md#activity" },
};

const BY_FORM: ReadonlyMap<string, string> = new Map(
  Object.entries(VALUE_TYPES).map(([name, { schema }]) => [formOf(z.toJSONSchema(schema) as JsonSchema), name]),
);

/** The value type with this pattern or these values; undefined if there is none. */
export function valueTypeOf(schema: JsonSchema): string | undefined {
  return BY_FORM.get(formOf(schema));
}

/** A value type as it stands under components. */
export function valueComponent(name: string): JsonSchema {
  const { schema, restored, description } = VALUE_TYPES[name] as ValueType;
  const { type, pattern, maxLength, enum: values } = z.toJSONSchema(schema) as JsonSchema & { readonly type: string };
  return {
    type,
    ...(pattern === undefined ? {} : { pattern }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(values === undefined ? {} : { enum: values }),
    ...restored,
    description,
  };
}

function formOf({ pattern, maxLength, enum: values }: JsonSchema): string {
  return JSON.stringify([pattern, maxLength, values]);
}
