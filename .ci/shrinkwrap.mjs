// The production part of package-lock.json as npm-shrinkwrap.json, which the package carries, so that whoever installs it gets the
// versions that were tested. `write` before npm packs, `remove` after: in a checkout npm would take it for the lock.
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
