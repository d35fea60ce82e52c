/** Renders the reference as one page: first steps, rules of all responses, then each resource. */
import type { OpenApiDocument } from "../../src/openapi/document.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { Html, html } from "./html.ts";
import { operationHtml } from "./operation.ts";
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
  const parts = [
    ...COMMON.map((anchor) => commonHtml(anchor)),
    ...RESOURCES.map(([anchor, paths]) => resourceHtml(document, anchor, paths)),
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
<nav aria-label="Contents"><ul>
<li><a href="#recipes">Begin</a></li>
${[...COMMON, ...PARTS, ...RESOURCES.map(([anchor]) => anchor)].map((anchor) => html`<li><a href="#${anchor}">${section("api.md", anchor).title}</a></li>`)}
<li><a href="#files-for-programs">Files for programs</a></li>
</ul></nav>
<main id="main">
${recipesHtml(recipes)}
${parts}
<section aria-labelledby="files-for-programs"><h2 id="files-for-programs">Files for programs</h2>
${section("people.md", "files").body}
${files.map((path) => operationHtml(document, path))}
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
${recipes.map(({ language, code }) => html`<h3>${language}</h3><pre tabindex="0"><code>${code.trimEnd()}</code></pre>`)}
</section>`;
}

function commonHtml(anchor: string): Html {
  const { title, body } = section("api.md", anchor);
  return html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${title}</h2>
${body}</section>`;
}

function resourceHtml(document: OpenApiDocument, anchor: string, paths: readonly string[]): Html {
  const { title, body } = section("api.md", anchor);
  return html`<section class="resource" aria-labelledby="${anchor}"><h2 id="${anchor}">${title}</h2>
${body}
${paths.map((path) => operationHtml(document, path))}
</section>`;
}
