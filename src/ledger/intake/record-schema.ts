/** Generates JSON Schemas (draft 2020-12) for intake lines from the schemas that validate them. */
import * as z from "zod";
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { RECORD_TYPES } from "./record-types.ts";

/** The part of JSON Schema that the records use. */
export interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly anyOf?: readonly FieldSchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** Returns the schema of one record type. Its description has the rules that need the ledger (`conflict` …). */
export function recordSchema(kind: FactKind): FieldSchema {
  const { schema, keywords, rules = [], example } = RECORD_TYPES[kind];
  const { $schema: _, ...fields } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return {
    $schema: DRAFT,
    title: kind,
    ...(rules.length === 0 ? {} : { description: rules.join(" ").replaceAll("`", "") }),
    ...fields,
    ...keywords,
    examples: [example],
  } as FieldSchema;
}

/** Returns the schema of a line of any type. */
export function intakeSchema(): object {
  const schemas = FACT_KINDS.map((kind) => {
    const { $schema: _, ...schema } = { $schema: DRAFT, ...recordSchema(kind) };
    return [kind, schema] as const;
  });
  return {
    $schema: DRAFT,
    title: "intake",
    description: "One line of NDJSON that noonmark ingest takes.",
    type: "object",
    required: ["type"],
    oneOf: FACT_KINDS.map((kind) => ({ $ref: `#/$defs/${kind}` })),
    $defs: Object.fromEntries(schemas),
  };
}
