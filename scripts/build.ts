/** `npm run build`: the program, the client, the page, the Worker's script, and their licences. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { commandTree } from "../bin/cli/completion/command-tree.ts";
import { addAllCommands } from "../bin/commands/all.ts";
import { writeWorker } from "../cdn-config/write-worker.ts";
import { compiledContracts, PACKED_CONTRACTS } from "../demo/chain/compile.ts";
import { buildSite, bundlePage } from "../site/build.ts";
import { buildReference } from "../site/reference/build.ts";
import { packageVersion } from "../src/files/package-file.ts";
import { writeLicences } from "./licences.ts";
import { buildProgram } from "./program.ts";

const ROOT = join(import.meta.dirname, "..");

const DIST = join(ROOT, "dist");
const KEPT = new Set(["client", "log", "values", "site", "licenses.txt", "contracts.json"]);

for (const folder of ["client", "log", "values", "site"]) rmSync(join(DIST, folder), { recursive: true, force: true });
// The client has no dependency but modules of `src/values` and `src/log`. Its modules stay apart, so that a bundler takes only those that are used.
execFileSync(process.execPath, [
  join(ROOT, "node_modules/typescript/bin/tsc"),
  "-p",
  join(ROOT, "tsconfig.build.json"),
]);
for (const { path, bytes } of [...(await buildSite()), ...(await buildReference(packageVersion()))]) {
  const file = join(DIST, "site", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
// `noonmark demo` deploys them. The package has neither the compiler nor the sources.
writeFileSync(PACKED_CONTRACTS, JSON.stringify(compiledContracts()));
const tree = commandTree(await addAllCommands(new Command("noonmark")));
const program = await buildProgram(tree);
writeLicences([...program, await writeWorker(), (await bundlePage()).metafile]);
// Names have a hash of the content: a running program finds its files until here.
const written = new Set(program.flatMap(({ outputs }) => Object.keys(outputs)).map((path) => basename(path)));
for (const name of readdirSync(DIST)) {
  if (!written.has(name) && !KEPT.has(name)) rmSync(join(DIST, name), { recursive: true });
}
