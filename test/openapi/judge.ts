/** Validates bodies, headers and responses of every route against the document's schemas, with ajv (2020, strict). */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/openapi/document.ts";
import { ROUTES } from "../../src/resources/table.ts";
import type { ScriptResponse } from "../support/scripts/run-http-script.ts";

export const DOCUMENT = openApiDocument({ version: "0.0.0" });

const ROOT = "openapi.json";
const ajv = new Ajv2020({ strict: true, allErrors: false });
addFormats.default(ajv);
// OpenAPI's additions to JSON Schema. A discriminator only repeats its oneOf.
ajv.addVocabulary(["discriminator", "components"]);
ajv.addSchema({ $id: ROOT, components: { schemas: DOCUMENT.components.schemas } });

/** Throws if the schema itself is invalid in strict mode. */
export function bodyJudge(component: string): ValidateFunction {
  return ajv.compile({ $ref: `${ROOT}#/components/schemas/${component}` });
}

/** Validates against a schema anywhere in the document. */
function schemaJudge(schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', `"${ROOT}#/components/`);
  return ajv.compile(JSON.parse(text));
}

export function complaint(judge: ValidateFunction, value: unknown): string | undefined {
  if (judge(value) === true) return undefined;
  const [error] = judge.errors ?? [];
  return `${error?.instancePath} ${error?.message}`;
}

type Operation = (typeof DOCUMENT.paths)[string]["get"];
type Answer = Operation["responses"][string];

/** Content-Type is defined by the document's media type, and Content-Length by HTTP. */
const OF_BODY = new Set(["content-type", "content-length"]);

const judges = new Map<string, ReturnType<typeof schemaJudge>>();

function judgeOf(schema: unknown): ReturnType<typeof schemaJudge> {
  const text = JSON.stringify(schema);
  const known = judges.get(text) ?? schemaJudge(schema);
  judges.set(text, known);
  return known;
}

/** The document's operation for a request target, normalised as a URL; undefined if there is none. */
export function operationFor(target: string): Operation | undefined {
  const path = URL.parse(`http://shim.example${target}`)?.pathname ?? "";
  const found = Object.keys(DOCUMENT.paths).find((template) =>
    new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{[^}]*\}/, "[^/]*")}$`).test(path),
  );
  return found === undefined ? undefined : DOCUMENT.paths[found]?.get;
}

/** The response's deviations from the document, one line each. */
export function undocumented(operation: Operation, response: ScriptResponse, withBody: boolean): string[] {
  const documented = operation.responses[String(response.status)];
  if (documented === undefined) return [`status ${response.status}`];
  const found = headerComplaints(documented, response);
  const [[type, media] = []] = Object.entries(documented.content ?? {});
  if (type === undefined) return response.body === "" ? found : [...found, "a body"];
  if (!response.headers["content-type"]?.startsWith(type))
    found.push(`content-type ${response.headers["content-type"]}`);
  if (withBody && response.body !== "" && type.endsWith("json")) {
    const why = complaint(judgeOf(media?.schema), JSON.parse(response.body));
    if (why !== undefined) found.push(`body: ${why}`);
  }
  return found;
}

function headerComplaints(documented: Answer, { headers }: ScriptResponse): string[] {
  const names = new Map(Object.entries(documented.headers).map(([name, header]) => [name.toLowerCase(), header]));
  const strangers = Object.keys(headers).filter((name) => !names.has(name) && !OF_BODY.has(name));
  const wrong = [...names].flatMap(([name, header]) => {
    const full = "$ref" in header ? DOCUMENT.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
    const value = headers[name];
    if (value === undefined) return full?.required === true ? [`no ${name}`] : [];
    const why = complaint(judgeOf(full?.schema), value);
    return why === undefined ? [] : [`${name} ${value}: ${why}`];
  });
  return [...strangers.map((name) => `undocumented header ${name}`), ...wrong];
}

/** Maximum number of pages to read of one list. */
const PAGES = 20;

export interface Judged {
  readonly judged: number;
  /** Deviations from the document, each with its URL. */
  readonly found: readonly string[];
}

/** `get` returns the response to a path with query. */
export async function judgeEveryResponse(get: (url: string) => Promise<ScriptResponse>): Promise<Judged> {
  const found: string[] = [];
  let judged = 0;
  const judge = async (url: string): Promise<ScriptResponse> => {
    const got = await get(url);
    const operation = operationFor(url);
    if (operation === undefined) throw new Error(url);
    judged++;
    found.push(...undocumented(operation, got, true).map((text) => `${url}: ${text}`));
    return got;
  };
  const { installationId } = JSON.parse((await judge("/v1/public/telemetry")).body) as { installationId: string };
  for (const { path, query, objects } of ROUTES) {
    const own = path.replace("{installationId}", installationId);
    if (query === "listed") for (const object of objects) await judge(own + (object.query && `?${object.query}`));
    else await judge(own);
  }
  for (const category of ["all", "protocol", "players", "measurement"]) {
    await walk(`/v1/public/activity?category=${category}&limit=40`, judge);
  }
  await walk(`/v1/public/installations/${installationId}/observations?limit=100`, judge);
  await judge("/v1/public/installations/nobody/telemetry");
  return { judged, found };
}

async function walk(first: string, judge: (url: string) => Promise<ScriptResponse>): Promise<void> {
  let url = first;
  for (let page = 0; page < PAGES; page++) {
    const { nextCursor } = JSON.parse((await judge(url)).body) as { nextCursor: string | null };
    if (nextCursor === null) return;
    url = `${first}&cursor=${nextCursor}`;
  }
}
