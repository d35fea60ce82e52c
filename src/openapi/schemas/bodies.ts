/**
 * The schema of each body by the name that its contract gives it: the one place where zod's JSON Schema becomes the
 * document's. It adds what zod does not carry over: formats, discriminators, patterns of cursors, the laws of a bucket.
 */
import * as z from "zod";
import type { Contract } from "../../resources/contract.ts";
import { OPERATIONS } from "../../resources/contracts.ts";
import { observationsContract } from "../../resources/observations/contract.ts";
import { BUCKET_LAWS } from "../../resources/statistics/schema.ts";
import { type Components, type JsonSchema, refTo } from "./json-schema.ts";
import { valueComponent, valueTypeOf } from "./values.ts";

/** Every schema of the document by name, in the order of the names. */
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

/** Schemas that have a name of their own. */
const SHORTER: Readonly<Record<string, string>> = {
  ActivityAvailableEvent: "ActivityEvent",
  StatisticsActivityDayBucket: "StatisticsBucket",
};

/** The schema as the document has it; `name` is where it stands, and what it is called where it needs a name. */
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

/** The first property that has another constant in every branch. */
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

/** A page's `nextCursor` is its own body's; a `cursor` is an observation's wherever it is. */
function cursorOf(property: string, name: string): Contract["cursor"] {
  if (property === "cursor") return observationsContract.cursor;
  if (property !== "nextCursor") return undefined;
  return OPERATIONS.find(({ contract: { body, cursor } }) => cursor && body && name.startsWith(body.name))?.contract
    .cursor;
}

function isBucket(properties: NonNullable<JsonSchema["properties"]>): boolean {
  return properties.coverage?.enum !== undefined && "workUnits" in properties && "startMinuteUtc" in properties;
}

/** A rule that zod checks by a function: the coverage determines the number of rounds and if there is work. */
function bucketBranches(schema: JsonSchema, properties: NonNullable<JsonSchema["properties"]>): JsonSchema[] {
  const known = properties.workUnits?.anyOf?.find(({ type }) => type !== "null") ?? NULL;
  return Object.entries(BUCKET_LAWS).map(([coverage, law]) => ({
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

/** Every number of the API is whole. */
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
