/**
 * `npm run build`: the program and the client as modules in dist/, the page, the demo's contracts and the Worker's
 * script.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWorker } from "../cdn-config/write-worker.ts";
import { compiledContracts, PACKED_CONTRACTS } from "../demo/chain/compile.ts";
import { buildSite } from "../site/build.ts";
import { buildReference } from "../site/reference/build.ts";
import { packageVersion } from "../src/files/package-file.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

rmSync(DIST, { recursive: true, force: true });
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [compiler, "-p", join(ROOT, "tsconfig.build.json")], { stdio: "inherit" });
for (const { path, bytes } of [...(await buildSite()), ...(await buildReference(packageVersion()))]) {
  const file = join(DIST, "site", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
await writeWorker();
// `noonmark demo` deploys them. The package has neither the compiler nor the sources.
writeFileSync(PACKED_CONTRACTS, JSON.stringify(compiledContracts()));
