/** The schemas that `noonmark schema` prints by name. */
import * as z from "zod";
import { deploymentSchema } from "../../src/chain/deployment.ts";
import { INSTALLATION_ID_PATTERN } from "../../src/ledger/intake/decode/fields.ts";
import { intakeSchema, recordSchema } from "../../src/ledger/intake/schema/record-schema.ts";
import { FACT_KINDS } from "../../src/ledger/schema.ts";
import { SETTINGS, type SettingName } from "./settings/settings.ts";

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

/** `noonmark.json`: each setting, none required. */
function configurationSchema(): object {
  const names = Object.keys(SETTINGS) as SettingName[];
  const shape = names.map((name) => [name, z.optional(SETTINGS[name].schema).describe(SETTINGS[name].help)] as const);
  return { title: "noonmark.json", ...jsonSchema(z.strictObject(Object.fromEntries(shape))) };
}

type Overridden = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>>[0];

/** One of the four numbers of an IPv4 address. */
const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/** The patterns of settings that zod refines: zod writes only their type. */
const PATTERNS: Readonly<Record<string, string>> = {
  installationId: INSTALLATION_ID_PATTERN,
  store: "^(?:s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/.*)?|(?![A-Za-z][A-Za-z0-9+.-]+:).+)$",
  host: `^(?:(?:${BYTE}\\.){3}${BYTE}|\\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9._-]+)?\\]?|(?=.*[A-Za-z_-])[A-Za-z0-9_-]{1,63}(?:\\.[A-Za-z0-9_-]{1,63}){0,15}\\.?)$`,
  rpcUrl: "^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^,]+(?:,\\s*[Hh][Tt][Tt][Pp][Ss]?://[^,]+)*$",
};

/** The parts that zod's own output loses: refinements, and the protocol of an address. */
function strict({ zodSchema, jsonSchema, path }: Overridden): void {
  const pattern = PATTERNS[String(path.at(-1))];
  if (pattern !== undefined) jsonSchema.pattern = pattern;
  const { protocol } = ("def" in zodSchema ? zodSchema.def : {}) as { readonly protocol?: RegExp };
  if (protocol !== undefined) {
    delete jsonSchema.format;
    jsonSchema.pattern = `${protocol.source.replace(/\$$/, "")}://.`;
  }
}

/** A switch is true, false or the word. Zod joins them to a list of types, without the words. */
const SWITCH = [{ type: "boolean" }, { type: "string", enum: ["true", "1", "false", "0"] }];

function oneTypeEach(property: unknown): unknown {
  const { type, ...rest } = property as { readonly type?: unknown };
  return Array.isArray(type) ? { ...rest, anyOf: SWITCH } : property;
}
