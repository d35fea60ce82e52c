/** ajv (2020, strict) over the document's own schemas: the judge of bodies and headers. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/openapi/document.ts";

export const DOCUMENT = openApiDocument({ version: "0.0.0" });

const ROOT = "openapi.json";
const ajv = new Ajv2020({ strict: true, allErrors: false });
addFormats.default(ajv);
// OpenAPI adds these to JSON Schema. A discriminator only repeats its oneOf.
ajv.addVocabulary(["discriminator", "components"]);
ajv.addSchema({ $id: ROOT, components: { schemas: DOCUMENT.components.schemas } });

/** Throws if the schema itself is invalid in strict mode. */
export function bodyJudge(component: string): ValidateFunction {
  return ajv.compile({ $ref: `${ROOT}#/components/schemas/${component}` });
}

/** Checks against a schema from anywhere in the document. */
export function schemaJudge(schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', `"${ROOT}#/components/`);
  return ajv.compile(JSON.parse(text));
}

export function complaint(judge: ValidateFunction, value: unknown): string | undefined {
  if (judge(value) === true) return undefined;
  const [error] = judge.errors ?? [];
  return `${error?.instancePath} ${error?.message}`;
}
