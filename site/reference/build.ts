/** Builds the reference at `/docs` from docs/spec/api.md, and the OpenAPI document (docs/spec/people.md#openapi). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import { documentText, openApiDocument } from "../../src/openapi/document.ts";
import { ROUTES } from "../../src/resources/table.ts";
import type { SiteFile } from "../build.ts";

const SPECIFICATION = join(import.meta.dirname, "../../docs/spec/api.md");

/** The page is last, after its style. */
export function buildReference(version: string): readonly SiteFile[] {
  const style = readFileSync(join(import.meta.dirname, "style.css"));
  const path = `assets/docs-${createHash("sha256").update(style).digest("hex").slice(0, 12)}.css`;
  const html = referencePage(readFileSync(SPECIFICATION, "utf8"), path);
  const openapi = documentText(openApiDocument({ version }));
  return [
    { path, contentType: "text/css; charset=utf-8", bytes: style },
    { path: "openapi.json", contentType: "application/json; charset=utf-8", bytes: Buffer.from(openapi) },
    { path: "docs.html", contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) },
  ];
}

function referencePage(markdown: string, style: string): string {
  const [, title = "", text = ""] = /^# (.*)\n([^]*)$/.exec(markdown) ?? [];
  const body = readable(new Marked().parse(text, { async: false }));
  const headings = [...body.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Noonmark</title>
<meta name="description" content="${ROUTES.length} public GET routes: fields, rules, errors and caching.">
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#main">To the reference</a>
<header>
<h1>${title}</h1>
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). For people: <a href="./">the page</a>.</p>
</header>
<div class="columns">
<nav id="contents" aria-label="Contents"><ul>
${headings.map(([, id = "", name = ""]) => `<li><a href="#${id}">${name}</a>${routesOf(id)}</li>`).join("\n")}
</ul>
<a class="to-contents" href="#contents">Contents</a>
</nav>
<main id="main">
${body}</main>
</div>
</body>
</html>
`;
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  // A link to another document, or to an anchor that the page lacks, becomes plain text.
  return page.replaceAll(/<a href="([^"]*\.md[^"]*|#[^"]+)">([^]*?)<\/a>/g, (link, target: string, words: string) =>
    target.startsWith("#") && ids.has(target.slice(1)) ? link : words,
  );
}

/** The paths of a section's routes. They may break before a slash. */
function routesOf(anchor: string): string {
  const paths = ROUTES.filter((route) => route.anchor === anchor).map(({ path }) => path);
  const items = paths.map((path) => `<li><code>${path.replaceAll(/(?<=.)\//g, "<wbr>/")}</code></li>`);
  return items.length === 0 ? "" : `<ul>${items.join("")}</ul>`;
}

/** The anchors before a heading become its ids. Wide tables and code can be scrolled by keyboard. */
function readable(html: string): string {
  return html
    .replaceAll(
      /(?:<p>)?<a id="([^"]+)"><\/a>((?:<a id="[^"]+"><\/a>)*)(?:<\/p>)?\s*<h([2-6])>/g,
      (_, id: string, others: string, level: string) => `${others}<h${level} id="${id}">`,
    )
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}
