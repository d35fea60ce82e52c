/** Renders one operation: its parameters, and every response with its headers and an example. */
import type { OpenApiDocument } from "../../src/openapi/document.ts";
import type { JsonSchema } from "../../src/openapi/schemas.ts";
import { type Html, html, NOTHING } from "./html.ts";

type Operation = OpenApiDocument["paths"][string]["get"];
type Answer = Operation["responses"][string];

export function operationHtml(document: OpenApiDocument, path: string): Html {
  const operation = document.paths[path]?.get;
  if (operation === undefined) throw new Error(`${path} is no path of the document`);
  const { operationId, summary, description, parameters = [], responses } = operation;
  return html`
<section class="operation" aria-labelledby="op-${operationId}">
<h3 id="op-${operationId}"><code>GET ${path}</code></h3>
<p><strong>${summary}.</strong> <span class="quiet">operationId <code>${operationId}</code></span></p>
${prose(description)}
${parameters.length === 0 ? html`<p>No parameter.</p>` : parametersHtml(parameters, document)}
<h4>Responses</h4>
${Object.entries(responses).map(([status, answer]) => answerHtml(status, answer, document))}
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

/** Renders a citation of the specification as a link within the page. */
function cited(text: string): Html {
  const [plain = "", anchor, rule = "", rest = ""] = text.split(/docs\/spec\/\w+\.md#([\w-]+)(?: (\d+))?/);
  if (anchor === undefined) return html`${plain}`;
  return html`${plain}<a href="#${anchor}">${rule === "" ? anchor : `Rule ${rule}`}</a>${rest}`;
}

function parametersHtml(parameters: NonNullable<Operation["parameters"]>, document: OpenApiDocument): Html {
  return html`<h4>Parameters</h4>
<div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table>
<thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">form</th><th scope="col">meaning</th></tr></thead>
<tbody>${parameters.map(
    ({ name, in: place, required, schema, description }) => html`
<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ", required" : ""}</td><td>${form(schema, document)}</td><td>${description}</td></tr>`,
  )}</tbody></table></div>`;
}

function answerHtml(status: string, { description, headers, content = {} }: Answer, document: OpenApiDocument): Html {
  const [[type, media] = []] = Object.entries(content);
  const examples = Object.values(media?.examples ?? {});
  return html`<details${status === "200" ? html` open` : NOTHING}>
<summary><span class="status">${status}</span> ${description}</summary>
<div class="scroll" tabindex="0" role="group" aria-label="Headers of ${status}"><table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>${Object.entries(headers).map(([name, header]) => headerHtml(name, header, document))}</tbody></table></div>
${type === undefined ? html`<p>No body.</p>` : html`<p>Body: <code>${type}</code></p>`}
${examples.map(
  ({ summary, value }) => html`<p class="quiet">${summary}</p><pre tabindex="0"><code>${shortened(value)}</code></pre>`,
)}
</details>`;
}

function headerHtml(name: string, header: Answer["headers"][string], document: OpenApiDocument): Html {
  const found = "$ref" in header ? document.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
  if (found === undefined) throw new Error(`${name} is described nowhere`);
  const { schema, required, description } = found;
  return html`<tr><th scope="row"><code>${name}</code></th><td>${form(schema, document)}${required ? "" : " (not always)"}<br>${description}</td></tr>`;
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
