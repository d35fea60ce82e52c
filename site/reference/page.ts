/** Renders the reference as one page: first steps, rules of all responses, then each resource. */
import type { OpenApiDocument } from "../../src/openapi/document.ts";
import { plainTargets } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { Html, html } from "./html.ts";
import { type Common, commonHtml, commonOf, operationHtml } from "./operation.ts";
import { section, withoutDeadLinks } from "./specification.ts";

export interface Recipe {
  readonly language: string;
  readonly code: string;
}

/** Sections of docs/spec/api.md about all routes. */
const COMMON = ["interpretation", "values", "http"];
/** Subsections of `http` with separate entries. */
const PARTS = ["caching", "client-caches", "query", "errors", "availability", "limits"];

/** Sections of docs/spec/api.md, and the paths that they describe. */
const RESOURCES = [...Map.groupBy(ROUTES, ({ anchor }) => anchor)].map(
  ([anchor, rows]) => [anchor, rows.map(({ path }): string => path)] as const,
);

export function referencePage(document: OpenApiDocument, recipes: readonly Recipe[], style: string): string {
  const described = new Set(RESOURCES.flatMap(([, paths]) => paths));
  const files = Object.keys(document.paths).filter((path) => !described.has(path));
  const common = commonOf(document);
  const parts = [
    ...COMMON.map((anchor) => sectionHtml(anchor)),
    html`<section aria-labelledby="responses"><h2 id="responses">Responses of several routes</h2>
${commonHtml(document, common)}</section>`,
    ...RESOURCES.map(([anchor, paths]) => resourceHtml(document, common, { anchor, paths })),
  ];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Noonmark</title>
<meta name="description" content="${ROUTES.length} public GET routes: fields, rules, errors, caching and examples, with recipes for curl, JavaScript and Python.">
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#main">To the reference</a>
<header>
<h1>API reference</h1>
<p>Read-only JSON about one measuring installation and the settlement of its work. No credentials, no wallet, GET only.
For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). For people: <a href="./">the page</a>.</p>
</header>
<div class="columns">
<nav id="contents" aria-label="Contents"><ul>
<li><a href="#recipes">Begin</a></li>
${[...COMMON, ...PARTS].map((anchor) => html`<li><a href="#${anchor}">${section("api.md", anchor).title}</a></li>`)}
<li><a href="#responses">Responses of several routes</a></li>
${RESOURCES.map(([anchor, paths]) => html`<li><a href="#${anchor}">${section("api.md", anchor).title}</a>${routesHtml(document, paths)}</li>`)}
<li><a href="#files-for-programs">Files for programs</a>${routesHtml(document, files)}</li>
<li><a href="#log">The log</a></li>
</ul>
<a class="to-contents" href="#contents">Contents</a>
</nav>
<main id="main">
${recipesHtml(recipes)}
${parts}
<section aria-labelledby="files-for-programs"><h2 id="files-for-programs">Files for programs</h2>
${section("people.md", "files").body}
${files.map((path) => operationHtml(document, path, common, path.slice(1)))}
</section>
<section aria-labelledby="log"><h2 id="log">The log</h2>
<p>A deployment with a key publishes all accepted facts as a signed log. <a href="status.json">status.json</a> has its number, its
size and its verifier key. Programs for certificate logs read it.</p>
${section("log.md", "files").body}
</section>
</main>
</div>
</body>
</html>
`;
  return withoutDeadLinks(page.text);
}

function recipesHtml(recipes: readonly Recipe[]): Html {
  return html`<section aria-labelledby="recipes"><h2 id="recipes">Begin</h2>
<p><code>BASE</code> is the address of this page without <code>/docs</code>.</p>
${recipes.map(({ language, code }) => html`<h3>${language}</h3><pre tabindex="0"><code>${code.trimEnd()}</code></pre>`)}
</section>`;
}

function sectionHtml(anchor: string): Html {
  const { title, body } = section("api.md", anchor);
  return html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${title}</h2>
${body}</section>`;
}

function routesHtml(document: OpenApiDocument, paths: readonly string[]): Html {
  return html`<ul>${paths.map((path) => html`<li><a href="#op-${document.paths[path]?.get.operationId ?? ""}"><code>${breakable(path)}</code></a></li>`)}</ul>`;
}

/** A path that breaks before a slash if its line is too short. */
function breakable(path: string): readonly Html[] {
  return path.split(/(?<=.)(?=\/)/).map((part, index) => html`${index === 0 ? "" : new Html("<wbr>")}${part}`);
}

interface Resource {
  readonly anchor: string;
  readonly paths: readonly string[];
}

function resourceHtml(document: OpenApiDocument, common: Common, { anchor, paths }: Resource): Html {
  const { title, body } = section("api.md", anchor);
  return html`<section class="resource" aria-labelledby="${anchor}"><h2 id="${anchor}">${title}</h2>
${body}
${paths.map((path) => operationHtml(document, path, common, liveOf(path)))}
</section>`;
}

/** Returns the URL of a request without a placeholder, relative to the page; undefined if the path has one. */
function liveOf(path: string): string | undefined {
  const row = ROUTES.find((one) => one.path === path);
  if (row === undefined || path.includes("{")) return undefined;
  const [target = path] = plainTargets(row, "");
  return target.slice(1);
}
