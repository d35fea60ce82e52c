/**
 * Converts each body's zod schema to the document's JSON Schema, under its contract's name. Adds what zod's conversion
 * loses: formats, discriminators, cursor patterns, and the rules of a bucket.
 */
import * as z from "zod";
import { CATEGORIES } from "../resources/activity/route.ts";
import type { Contract } from "../resources/contract.ts";
import { OPERATIONS } from "../resources/contracts.ts";
import { chainAddress, chainHash, timestamp, uuid } from "../resources/fields.ts";
import { observationsContract } from "../resources/observations/contract.ts";
import { SETTLEMENT_RANGES } from "../resources/settlements/route.ts";
import { RANGES } from "../resources/statistics/route.ts";
import { BUCKET_INVARIANTS } from "../resources/statistics/schema.ts";
import { uint64String, uint256String } from "../values/decimal.ts";

/** Returns every schema of the document by name, in the order of the names. */
export function schemaComponents(): Components {
  const components: Components = {};
  for (const { contract } of OPERATIONS) {
    if (contract.body === null) continue;
    const { name, schema } = contract.body;
    const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: "output" });
    components[name] = restore(plain as JsonSchema, name, components);
  }
  return Object.fromEntries(Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const NULL: JsonSchema = { type: "null" };

/** Shorter names for some schemas. */
const SHORTER: Readonly<Record<string, string>> = {
  ActivityAvailableEvent: "ActivityEvent",
  StatisticsActivityDayBucket: "StatisticsBucket",
};

/** Converts a schema to the document's form. `name` is its path, and its name if it becomes a component. */
function restore(schema: JsonSchema, name: string, components: Components): JsonSchema {
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return restoreUnion(branches, name, components);
  if (Array.isArray(schema.type)) {
    return { anyOf: schema.type.map((type) => restore({ ...schema, type }, name, components)) };
  }
  const valueType = valueTypeOf(schema);
  if (valueType !== undefined) return shared(valueType, valueComponent(valueType), components);
  switch (schema.type) {
    case "object":
      return restoreObject(schema, name, components);
    case "array":
      return { ...schema, items: restore(schema.items ?? {}, singular(name), components) };
    case "number":
      return integer(schema);
    default:
      return schema;
  }
}

function restoreUnion(branches: readonly JsonSchema[], name: string, components: Components): JsonSchema {
  const values = branches.map((branch) => branch.const);
  if (values.every((value) => typeof value === "number")) return { type: "integer", enum: values };
  const tag = discriminatorOf(branches);
  if (tag === undefined) return { anyOf: branches.map((branch) => restore(branch, name, components)) };
  const named = branches.map((branch) => {
    const value = String(branch.properties?.[tag]?.const);
    const branchName = (SHORTER[name] ?? name) + pascal(value);
    return { value, ref: shared(branchName, restoreObject(branch, branchName, components), components) };
  });
  const mapping = Object.fromEntries(named.map(({ value, ref }) => [value, ref.$ref as string]));
  return { oneOf: named.map(({ ref }) => ref), discriminator: { propertyName: tag, mapping } };
}

/** Returns the first property with a different constant in every branch. */
function discriminatorOf(branches: readonly JsonSchema[]): string | undefined {
  const [first, ...others] = branches;
  if (others.length === 0) return undefined;
  return Object.keys(first?.properties ?? {}).find((name) => {
    const constants = branches.map((branch) => branch.properties?.[name]?.const);
    return !constants.includes(undefined) && new Set(constants).size === branches.length;
  });
}

function restoreObject(schema: JsonSchema, name: string, components: Components): JsonSchema {
  const { properties, propertyNames: _, ...rest } = schema;
  if (properties === undefined) {
    const values = schema.additionalProperties;
    if (values === undefined || values === false) return rest;
    return { ...rest, additionalProperties: restore(values, singular(name), components) };
  }
  if (isBucket(properties)) return restoreUnion(bucketBranches(schema, properties), name, components);
  const restored = Object.entries(properties).map(([property, value]) => [
    property,
    restoreProperty(property, value, name, components),
  ]);
  return { ...rest, properties: Object.fromEntries(restored) };
}

function restoreProperty(property: string, schema: JsonSchema, name: string, components: Components): JsonSchema {
  const cursor = cursorOf(property, name);
  if (cursor === undefined) return restore(schema, name + pascal(property), components);
  const { name: component, pattern, description } = cursor;
  const ref = shared(component, { type: "string", pattern, description }, components);
  return schema.type === "string" ? ref : { anyOf: [ref, NULL] };
}

/** A page's `nextCursor` has its body's cursor; a `cursor` is always an observation's. */
function cursorOf(property: string, name: string): Contract["cursor"] {
  if (property === "cursor") return observationsContract.cursor;
  if (property !== "nextCursor") return undefined;
  return OPERATIONS.find(({ contract: { body, cursor } }) => cursor && body && name.startsWith(body.name))?.contract
    .cursor;
}

function isBucket(properties: NonNullable<JsonSchema["properties"]>): boolean {
  return properties.coverage?.enum !== undefined && "workUnits" in properties && "startMinuteUtc" in properties;
}

/** Restores a rule that zod checks by a function: coverage determines the number of rounds, and if there is work. */
function bucketBranches(schema: JsonSchema, properties: NonNullable<JsonSchema["properties"]>): JsonSchema[] {
  const known = properties.workUnits?.anyOf?.find(({ type }) => type !== "null") ?? NULL;
  return Object.entries(BUCKET_INVARIANTS).map(([coverage, law]) => ({
    ...schema,
    properties: {
      ...properties,
      coverage: { type: "string", const: coverage },
      observedRoundCount: { type: "integer", enum: law.counts },
      workUnits: law.known ? known : NULL,
    },
    description: law.rule,
  }));
}

/** Every number of the API is an integer. */
function integer(schema: JsonSchema): JsonSchema {
  const values = schema.enum ?? [schema.const];
  return values.every(Number.isInteger) ? { ...schema, type: "integer" } : schema;
}

function shared(name: string, schema: JsonSchema, components: Components): JsonSchema {
  components[name] = schema;
  return refTo(name);
}

function singular(name: string): string {
  return name.replace(/s$/, "");
}

/** `system.settlement_completed` → `SystemSettlementCompleted`. */
function pascal(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);

interface ValueType {
  readonly schema: z.ZodType;
  /** The JSON Schema of a zod refinement, which zod does not convert. */
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

/**
 * Returns the shared value type (docs/spec/api.md#values) with this pattern or these values, if any. A parameter and a
 * field with the same values share a component: some client generators reject two enums with one name.
 */
export function valueTypeOf(schema: JsonSchema): string | undefined {
  return BY_FORM.get(formOf(schema));
}

/** Returns the component of a value type. */
function valueComponent(name: string): JsonSchema {
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

/** The subset of JSON Schema 2020-12 that the bodies need. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly description?: string;
}

/** Schemas by name under `#/components/schemas/`. */
export type Components = Record<string, JsonSchema>;

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
