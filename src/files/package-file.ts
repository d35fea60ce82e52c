/** The files that come with the program. In the build, this module is somewhere in dist/; in the sources it is here. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The nearest directory above with a package.json. */
function rootAbove(directory: string): string {
  const isRoot = existsSync(join(directory, "package.json")) || directory === dirname(directory);
  return isRoot ? directory : rootAbove(dirname(directory));
}

/** The path of a file of the package, by its path in the package. */
export function packageFile(name: string): string {
  return join(ROOT, name);
}

/** The version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  return version;
}
