// Writes the production part of package-lock.json to npm-shrinkwrap.json, so that users of the package get the tested
// versions. Run `write` before npm packs and `remove` after: in a checkout npm would use the file instead of
// package-lock.json.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SHRINKWRAP = join(ROOT, "npm-shrinkwrap.json");

const [action] = process.argv.slice(2);
if (action === "write") writeFileSync(SHRINKWRAP, `${JSON.stringify(productionPart(), null, 2)}\n`);
else if (action === "remove") rmSync(SHRINKWRAP, { force: true });
else throw new Error("node .ci/shrinkwrap.mjs write | remove");

function productionPart() {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { devDependencies: _, ...root } = lock.packages[""];
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  return { ...lock, packages: { "": root, ...Object.fromEntries(packages) } };
}
