/**
 * Builds the files of the page at `/` (docs/spec/api.md#files): `index.html`, `favicon.svg`, and the assets that they
 * load, named by the hash of their bytes. The same sources give the same bytes.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

export interface SiteFile {
  /** The path relative to `/`, without a leading slash. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const ROOT = import.meta.dirname;
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** Browsers of the last three years support this version. */
const TARGET = ["es2022", "chrome110", "firefox115", "safari16"];

/** Bundles the page's scripts and styles. The result includes esbuild's list of bundled packages. */
export function bundlePage() {
  return build({
    absWorkingDir: ROOT,
    entryPoints: { page: "page/main.tsx", style: "style/all.css" },
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    charset: "utf8",
    metafile: true,
    logLevel: "warning",
  });
}

/** Builds the page's files, `index.html` last: a publisher puts the assets before the page that loads them. */
export async function buildSite(): Promise<readonly SiteFile[]> {
  const { outputFiles } = await bundlePage();
  const assets = outputFiles.map(({ path, contents }) => assetOf(path, contents));
  const nameOf = (kind: string) => assets.find(({ path }) => path.endsWith(`.${kind}`))?.path ?? "";
  const template = await readFile(join(ROOT, "index.html"), "utf8");
  const html = template.replace("style.css", nameOf("css")).replace("page.js", nameOf("js"));
  return [
    ...assets,
    { path: "favicon.svg", contentType: "image/svg+xml", bytes: await readFile(join(ROOT, "favicon.svg")) },
    { path: "index.html", contentType: "text/html; charset=utf-8", bytes: new TextEncoder().encode(html) },
  ];
}

function assetOf(path: string, bytes: Uint8Array): SiteFile {
  const [, name = "", kind = ""] = /([a-z]+)\.([a-z]+)$/.exec(path) ?? [];
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  return { path: `assets/${name}-${hash}.${kind}`, contentType: TYPES[kind] ?? "application/octet-stream", bytes };
}
