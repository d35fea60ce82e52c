/** Finds files of the package, and packages that may be missing. In the build this module is in dist/src/. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../values/failure.ts";
import { fieldsOf, systemCode } from "../values/unknown.ts";

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

/** Runs an import that needs an optional dependency. Throws `Failure` package_missing if it is not installed. */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (systemCode(cause) !== "ERR_MODULE_NOT_FOUND" || !String(cause).includes(`'${name}'`)) throw cause;
    throw new Failure("package_missing", `the package ${name} is not installed`, { cause });
  }
}
