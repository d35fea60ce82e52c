/** Finds files of the package. This module is in dist/ in the build, and in src/ otherwise. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fieldsOf } from "../values/unknown.ts";

const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** Returns the nearest ancestor directory that contains a package.json. */
function rootAbove(directory: string): string {
  const isRoot = existsSync(join(directory, "package.json")) || directory === dirname(directory);
  return isRoot ? directory : rootAbove(dirname(directory));
}

/** Returns the absolute path of a file, given its path in the package. */
export function packageFile(name: string): string {
  return join(ROOT, name);
}

/** Returns the version in package.json. */
export function packageVersion(): string {
  const { version } = fieldsOf(JSON.parse(readFileSync(packageFile("package.json"), "utf8")));
  return String(version);
}
