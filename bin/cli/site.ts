/** The files that the package was built with, found beside the built program and from a checkout alike. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { withServer } from "../../src/openapi/server.ts";
import { ROBOTS, type Site, type SiteFile } from "../../src/resources/site/site-files.ts";
import type { Settings } from "./settings/settings.ts";
import { packageVersion } from "./version.ts";

/** From `dist/bin/cli` and from `bin/cli`. */
const PLACES = ["../../dist/site", "../../site"];
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Undefined where the settings turn it off. */
export function configuredSite({ site, publicUrl }: Settings): Site | undefined {
  if (!site) return undefined;
  return {
    program: packageVersion(),
    files: [ROBOTS, ...builtFiles().map((file) => withAddress(file, publicUrl))],
    publicUrl,
  };
}

/** The document is built before anybody knows the address that it names. */
function withAddress(file: SiteFile, publicUrl: string | undefined): SiteFile {
  if (file.path !== "openapi.json" || publicUrl === undefined) return file;
  return { ...file, text: withServer(file.text, publicUrl) };
}

/** None in a checkout that was not built. */
function builtFiles(): SiteFile[] {
  const root = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(
    (place) => place.endsWith(join("dist", "site")) && existsSync(place),
  );
  if (root === undefined) return [];
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
