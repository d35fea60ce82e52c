/** The files of the page and of the reference, as the build wrote them to dist/site. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { packageFile, packageVersion } from "../../src/files/package-file.ts";
import { withServer } from "../../src/openapi/server.ts";
import { ROBOTS, type Site, type SiteFile } from "../../src/resources/site/site-files.ts";
import type { Settings } from "./settings/settings.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Undefined if the settings turn it off. */
export function configuredSite({ site, publicUrl }: Settings): Site | undefined {
  if (!site) return undefined;
  return {
    program: packageVersion(),
    files: [ROBOTS, ...builtFiles().map((file) => withAddress(file, publicUrl))],
    publicUrl,
  };
}

/** The document is built before its address is known. */
function withAddress(file: SiteFile, publicUrl: string | undefined): SiteFile {
  if (file.path !== "openapi.json" || publicUrl === undefined) return file;
  return { ...file, text: withServer(file.text, publicUrl) };
}

/** None in a checkout that was not built. */
function builtFiles(): SiteFile[] {
  const root = packageFile("dist/site");
  if (!existsSync(root)) return [];
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({
      path: relative(root, file).split(sep).join("/"),
      contentType: TYPES[extname(file)] ?? "application/octet-stream",
      text: readFileSync(file, "utf8"),
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
