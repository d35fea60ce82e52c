/** TypeScript type text from a body's JSON Schema, which zod creates. */
import * as z from "zod";
import { calendarDate, chainAddress, chainHash, timestamp, uuid } from "../src/resources/fields.ts";
import { uint256String } from "../src/values/decimal.ts";

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
}

/** Unions with more literal members are replaced by their base type. */
const MAX_MEMBERS = 12;

/** Type names for strings with a known pattern. */
const BY_PATTERN: ReadonlyMap<string | undefined, string> = new Map([
  [patternOf(timestamp), "Timestamp"],
  [patternOf(uuid), "UuidString"],
  [patternOf(chainHash), "ChainHash"],
  [patternOf(chainAddress), "ChainAddress"],
  [patternOf(uint256String), "DecimalString"],
  [patternOf(calendarDate), "CalendarDate"],
]);

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "output" }) as JsonSchema;
}

export function typeText(schema: JsonSchema): string {
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return branches.map(typeText).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return enumText(schema.enum);
  if (typeof schema.type === "object") return schema.type.map((type) => typeText({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case undefined:
      return "unknown";
    case "array":
      return `(${typeText(schema.items ?? {})})[]`;
    case "object":
      return objectText(schema);
    case "string":
      return BY_PATTERN.get(schema.pattern) ?? "string";
    case "integer":
      return "number";
    default:
      return schema.type;
  }
}

/** The value types that are used in a type's text. */
export function valueTypesIn(text: string): string[] {
  return [...BY_PATTERN.values()].filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted();
}

function enumText(members: readonly (string | number)[]): string {
  return members.length > MAX_MEMBERS ? typeof members[0] : members.map((member) => JSON.stringify(member)).join(" | ");
}

function objectText({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  if (typeof additionalProperties === "object") return `Record<string, ${typeText(additionalProperties)}>`;
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${typeText(field)};`,
  );
  return `{ ${fields.join(" ")} }`;
}

function patternOf(schema: z.ZodType): string | undefined {
  return jsonSchemaOf(schema).pattern;
}
