/** What `noonmark schema` prints by name. */
import { z } from "zod";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { INSTALLATION_ID_PATTERN } from "../../../src/ledger/intake/decode/forms.ts";
import { intakeSchema, recordSchema } from "../../../src/ledger/intake/schema/record-schema.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { SETTINGS, type SettingName } from "../settings.ts";

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

/** What zod's own output loses: the protocol of an address and the form of an installation's id. */
function strict({ zodSchema, jsonSchema, path }: Overridden): void {
  if (path.at(-1) === "installationId") jsonSchema.pattern = INSTALLATION_ID_PATTERN;
  const { protocol } = ("def" in zodSchema ? zodSchema.def : {}) as { readonly protocol?: RegExp };
  if (protocol !== undefined) {
    delete jsonSchema.format;
    jsonSchema.pattern = `${protocol.source.replace(/\$$/, "")}://.`;
  }
}

/** Strict readers want one type a schema: zod joins true and "true" into a list of types. */
function oneTypeEach(property: unknown): unknown {
  const { type, ...rest } = property as { readonly type?: unknown };
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) } : property;
}
