import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Seen from the source, and from the built file. */
const ROOTS = ["../../", "../../../"];

/** The path of a file of the package, by its path in it. */
export function packageFile(name: string): string {
  const roots = ROOTS.map((up) => new URL(up, import.meta.url));
  const root = roots.find((one) => existsSync(new URL("package.json", one))) ?? new URL("../../", import.meta.url);
  return fileURLToPath(new URL(name, root));
}
