// Writes the two files in which the package differs from the checkout. The package's package.json has no scripts and no
// devDependencies: an installation would warn about them. Its npm-shrinkwrap.json is the production part of
// package-lock.json, so that users of the package get the tested versions. Npm runs `write` before it packs and
// `restore` after: in a checkout npm would use the shrinkwrap instead of package-lock.json.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const [action, directory = ROOT] = process.argv.slice(2);
const MANIFEST = join(directory, "package.json");
const ORIGINAL = join(directory, "package.json.original");
const SHRINKWRAP = join(directory, "npm-shrinkwrap.json");

if (action === "write") write();
else if (action === "restore") restore();
else throw new Error("node scripts/packed.mjs write | restore [DIRECTORY]");

function write() {
  // An interrupted `npm pack` leaves the original.
  restore();
  const { scripts: _, devDependencies: __, ...packed } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  renameSync(MANIFEST, ORIGINAL);
  writeFileSync(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`);
  writeFileSync(SHRINKWRAP, `${JSON.stringify(productionPart(), null, 2)}\n`);
}

function restore() {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
  rmSync(SHRINKWRAP, { force: true });
}

function productionPart() {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { devDependencies: _, ...root } = lock.packages[""];
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  return { ...lock, packages: { "": root, ...Object.fromEntries(packages) } };
}
