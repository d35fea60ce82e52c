/** `noonmark schema NAME`: the JSON Schemas of the input (docs/spec/people.md#schema). */
import type { Command } from "commander";
import * as z from "zod";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { intakeSchema, recordSchema } from "../../../src/ledger/intake/record-schema.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { knownName } from "../../cli/arguments.ts";
import { SETTING_NAMES, SETTINGS } from "../../cli/settings/settings.ts";

export function registerSchema(program: Command): void {
  program
    .command("schema")
    .description("print the JSON Schema (draft 2020-12) of a fact, the deployment file or the configuration")
    .argument("<name>", `one of ${Object.keys(SCHEMAS).join(", ")}`)
    .action((name: string) => {
      const known = knownName(name, Object.keys(SCHEMAS));
      console.log(JSON.stringify(SCHEMAS[known]?.(), null, 2));
    });
}

export const SCHEMAS: Readonly<Record<string, () => object>> = {
  intake: intakeSchema,
  deployment: () => ({ title: "deployment.json", ...jsonSchema(deploymentSchema) }),
  config: configurationSchema,
  ...Object.fromEntries(FACT_KINDS.map((kind) => [kind, () => recordSchema(kind)])),
};

function jsonSchema(schema: z.ZodType): object {
  const { properties, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: strict });
  const one = Object.entries(properties ?? {}).map(([name, property]) => [name, oneTypeEach(property)] as const);
  return { ...rest, properties: Object.fromEntries(one) };
}

/** The schema of `noonmark.json`: every setting, none required. */
function configurationSchema(): object {
  const shape = SETTING_NAMES.map(
    (name) => [name, z.optional(SETTINGS[name].schema).describe(SETTINGS[name].help)] as const,
  );
  return { title: "noonmark.json", ...jsonSchema(z.strictObject(Object.fromEntries(shape))) };
}

type Overridden = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>>[0];

/** Patterns by setting name. No field of a deployment file has the name of a setting. */
const PATTERNS = new Map(Object.entries(SETTINGS).map(([name, { pattern }]) => [name, pattern] as const));

/** Adds what zod's output lacks: refinements, and the protocol of an address. */
function strict({ zodSchema, jsonSchema, path }: Overridden): void {
  const pattern = PATTERNS.get(String(path.at(-1)));
  if (pattern !== undefined) jsonSchema.pattern = pattern;
  const { protocol } = ("def" in zodSchema ? zodSchema.def : {}) as { readonly protocol?: RegExp };
  if (protocol !== undefined) {
    delete jsonSchema.format;
    jsonSchema.pattern = `${protocol.source.replace(/\$$/, "")}://.`;
  }
}

/** A switch is a boolean or its text. Zod would merge both into a list of types, without the texts. */
const SWITCH = [{ type: "boolean" }, { type: "string", enum: ["true", "1", "false", "0"] }];

function oneTypeEach(property: unknown): unknown {
  const { type, ...rest } = property as { readonly type?: unknown };
  return Array.isArray(type) ? { ...rest, anyOf: SWITCH } : property;
}
