/** Renders one operation: its parameters, and its responses with headers and examples. Shared responses come once. */
import type { OpenApiDocument } from "../../src/openapi/document.ts";
import type { JsonSchema } from "../../src/openapi/schemas.ts";
import { type Html, html, NO_HTML } from "./html.ts";

type Operation = OpenApiDocument["paths"][string]["get"];
type DocumentedResponse = Operation["responses"][string];

/** A response that several operations have. */
interface SharedResponse {
  readonly id: string;
  readonly status: string;
  readonly response: DocumentedResponse;
}

export interface Common {
  /** By the JSON text of status and response. */
  readonly responses: ReadonlyMap<string, SharedResponse>;
  /** The headers of all responses, by name. */
  readonly headers: DocumentedResponse["headers"];
}

/** Finds what the operations have in common, so that the page says it once. */
export function commonOf(document: OpenApiDocument): Common {
  const all = Object.values(document.paths).flatMap(({ get }) => Object.entries(get.responses));
  const same = Map.groupBy(all, ([status, response]) => keyOf(status, response));
  const shared = [...same].flatMap(([key, [first, second]]) =>
    first === undefined || second === undefined ? [] : [[key, first] as const],
  );
  const responses = new Map(
    shared.map(([key, [status, response]], index) => [key, { id: `response-${index + 1}`, status, response }] as const),
  );
  const everywhere = Object.entries(all[0]?.[1].headers ?? {}).filter(([name, header]) =>
    all.every(([, other]) => JSON.stringify(other.headers[name]) === JSON.stringify(header)),
  );
  return { responses, headers: Object.fromEntries(everywhere) };
}

function keyOf(status: string, response: DocumentedResponse): string {
  return JSON.stringify([status, response]);
}

/** Renders the headers and the responses that the operations have in common. */
export function commonHtml(document: OpenApiDocument, { headers, responses }: Common): Html {
  return html`<p>Every response has these headers:</p>
${headersHtml("every response", headers, document)}
${[...responses.values()].map(({ id, status, response }) => responseHtml({ status, response, id }, document, headers))}`;
}

/** `live` is the relative URL of a request that can be tried; undefined for a path with a placeholder. */
export function operationHtml(document: OpenApiDocument, path: string, common: Common, live?: string): Html {
  const operation = document.paths[path]?.get;
  if (operation === undefined) throw new Error(`${path} is no path of the document`);
  const { operationId, summary, description, parameters = [], responses } = operation;
  const own = Object.entries(responses).filter(([status, response]) => !common.responses.has(keyOf(status, response)));
  const shared = Object.entries(responses).flatMap(
    ([status, response]) => common.responses.get(keyOf(status, response)) ?? [],
  );
  return html`
<section class="operation" aria-labelledby="op-${operationId}">
<h3 id="op-${operationId}"><code>GET ${path}</code></h3>
<p><strong>${summary}.</strong> <span class="quiet">operationId <code>${operationId}</code></span></p>
${prose(description)}
${parameters.length === 0 ? html`<p>No parameter.</p>` : parametersHtml(parameters, document)}
${live === undefined ? NO_HTML : html`<p>Try it: <a href="${live}">GET /${live}</a></p>`}
<h4>Responses</h4>
${own.map(([status, response]) => responseHtml({ status, response }, document, common.headers))}
<ul>${shared.map(({ id, status, response }) => html`<li><a href="#${id}">${status}</a> ${cited(response.description)}</li>`)}</ul>
</section>`;
}

/** Renders text as paragraphs. Lines that begin with a number become a list. */
function prose(description: string): Html {
  return html`${description
    .split("\n\n")
    .map((part) =>
      /^\d+\. /.test(part)
        ? html`<ol>${part.split("\n").map((line) => html`<li>${cited(line.replace(/^\d+\. /, ""))}</li>`)}</ol>`
        : html`<p>${cited(part)}</p>`,
    )}`;
}

/** Renders citations of the specification as links within the page. */
function cited(text: string): Html {
  const parts = text.split(/docs\/spec\/\w+\.md#([\w-]+)(?: (\d+))?/);
  return html`${parts.map((part, index) => {
    if (index % 3 === 0) return html`${part}`;
    if (index % 3 === 2) return NO_HTML;
    const rule = parts[index + 1];
    return html`<a href="#${part}">${rule === undefined ? part : `rule ${rule} of ${part}`}</a>`;
  })}`;
}

function parametersHtml(parameters: NonNullable<Operation["parameters"]>, document: OpenApiDocument): Html {
  return html`<h4>Parameters</h4>
<div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table>
<thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">form</th><th scope="col">meaning</th></tr></thead>
<tbody>${parameters.map(
    ({ name, in: place, required, schema, description }) => html`
<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ", required" : ""}</td><td>${form(schema, document)}</td><td>${cited(description)}</td></tr>`,
  )}</tbody></table></div>`;
}

interface ResponseProps {
  readonly status: string;
  readonly response: DocumentedResponse;
  readonly id?: string;
}

/** `known` are the headers that are described elsewhere. */
function responseHtml(
  { status, response: { description, headers, content = {} }, id }: ResponseProps,
  document: OpenApiDocument,
  known: DocumentedResponse["headers"],
): Html {
  const [[type, media] = []] = Object.entries(content);
  const examples = Object.values(media?.examples ?? {});
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => known[name] === undefined));
  return html`<details${id === undefined ? NO_HTML : html` id="${id}"`}${status === "200" ? html` open` : NO_HTML}>
<summary><span class="status">${status}</span> ${cited(description)}</summary>
${Object.keys(own).length === 0 ? NO_HTML : headersHtml(status, own, document)}
${type === undefined ? html`<p>No body.</p>` : html`<p>Body: <code>${type}</code></p>`}
${examples.map(
  ({ summary, value }) => html`<p class="quiet">${summary}</p><pre tabindex="0"><code>${shortened(value)}</code></pre>`,
)}
</details>`;
}

function headersHtml(of: string, headers: DocumentedResponse["headers"], document: OpenApiDocument): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Headers of ${of}"><table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>${Object.entries(headers).map(([name, header]) => headerHtml(name, header, document))}</tbody></table></div>`;
}

function headerHtml(name: string, header: DocumentedResponse["headers"][string], document: OpenApiDocument): Html {
  const found = "$ref" in header ? document.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
  if (found === undefined) throw new Error(`${name} is described nowhere`);
  const { schema, required, description } = found;
  return html`<tr><th scope="row"><code>${name}</code></th><td>${form(schema, document)}${required ? "" : " (not always)"}<br>${cited(description)}</td></tr>`;
}

function form(schema: JsonSchema, document: OpenApiDocument): Html {
  if (schema.$ref !== undefined) {
    return form(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, document);
  }
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const initial = schema.default === undefined ? "" : `, default ${String(schema.default)}`;
  if (values !== undefined) {
    return html`${values.map((value, index) => html`${index === 0 ? "" : ", "}<code>${String(value)}</code>`)}${initial}`;
  }
  if (schema.pattern !== undefined) return html`string like <code>${schema.pattern}</code>`;
  if (schema.minimum !== undefined)
    return html`${String(schema.type)} ${schema.minimum} to ${schema.maximum ?? ""}${initial}`;
  return html`${String(schema.type)}`;
}

/** Lists with more than MAX_ITEMS entries are cut to SHOWN_ITEMS. */
const SHOWN_ITEMS = 2;
const MAX_ITEMS = 4;

function shortened(value: unknown): string {
  if (typeof value === "string") return value;
  return lines(value, "").join("\n");
}

function lines(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? shown(value).map((item): [string, unknown] => ["", item])
    : Object.entries(value).map(([name, item]): [string, unknown] => [`${JSON.stringify(name)}: `, item]);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return [open + close];
  const left = Array.isArray(value) ? value.length - entries.length : 0;
  const texts = entries.map(([label, item]) => inner + label + lines(item, inner).join("\n"));
  const rest = left === 0 ? "" : `,\n${inner}… ${left} more`;
  return [`${open}\n${texts.join(",\n")}${rest}\n${indent}${close}`];
}

function shown(items: readonly unknown[]): readonly unknown[] {
  return items.length > MAX_ITEMS ? items.slice(0, SHOWN_ITEMS) : items;
}
