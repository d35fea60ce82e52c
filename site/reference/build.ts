/** Builds the files of the reference at `/docs`, and the OpenAPI document (docs/spec/people.md#openapi). */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { documentText, openApiDocument } from "../../src/openapi/document.ts";
import type { SiteFile } from "../build.ts";
import { type Recipe, referencePage } from "./page.ts";

const ROOT = import.meta.dirname;
const RECIPES = { curl: "curl.sh", JavaScript: "javascript.mjs", Python: "python.py" };

/** The page is last, after its assets. */
export async function buildReference(version: string): Promise<readonly SiteFile[]> {
  const document = openApiDocument({ version });
  const style = await readFile(join(ROOT, "style.css"));
  const hash = createHash("sha256").update(style).digest("hex").slice(0, 12);
  const path = `assets/docs-${hash}.css`;
  const recipes = await Promise.all(
    Object.entries(RECIPES).map(
      async ([language, name]): Promise<Recipe> => ({
        language,
        code: await readFile(join(ROOT, "recipes", name), "utf8"),
      }),
    ),
  );
  const encode = (text: string) => new TextEncoder().encode(text);
  return [
    { path, contentType: "text/css; charset=utf-8", bytes: style },
    { path: "openapi.json", contentType: "application/json; charset=utf-8", bytes: encode(documentText(document)) },
    {
      path: "docs.html",
      contentType: "text/html; charset=utf-8",
      bytes: encode(referencePage(document, recipes, path)),
    },
  ];
}
