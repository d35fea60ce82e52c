/** A copy of this tree with its packages, and the steps that add a small route to it, as CONTRIBUTING.md says. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect } from "vitest";
import { sharedFolder } from "../../support/test-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(import.meta.dirname, "heartbeat");

/** On the disk of this tree the packages can be linked. They have 1 GB. */
const DISK = "/var/tmp";

/** The folder of a copy that is made before the tests of a file. */
export function copyOfTree(): string {
  const isSameDisk = existsSync(DISK) && statSync(DISK).dev === statSync(ROOT).dev;
  const copy = sharedFolder(isSameDisk ? DISK : undefined);
  beforeAll(() => {
    // Tests of `npm test` start the program as another user.
    chmodSync(copy, 0o755);
    const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: ROOT, encoding: "utf8" });
    for (const file of files.split("\0").filter((name) => name !== "")) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(ROOT, file), join(copy, file));
    }
    linkPackages(copy);
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
    ])
      execFileSync("git", args, { cwd: copy });
  });
  return copy;
}

/** The compiler would follow a symbolic link out of the copy, and then not find some types. */
function linkPackages(copy: string): void {
  const [from, to] = [`${ROOT}/node_modules/.`, join(copy, "node_modules")];
  const isLinked = spawnSync("cp", ["--archive", "--link", from, to], { stdio: "ignore" }).status === 0;
  if (!isLinked) execFileSync("cp", ["--archive", from, to]);
}

export function addRow(copy: string): void {
  for (const name of ["route", "contract", "publication"]) {
    lay(copy, `${name}.ts.txt`, `src/resources/heartbeat/${name}.ts`);
  }
  addLine(copy, "src/resources/table.ts", {
    after: "  modulesRoute,",
    line: "  heartbeatRoute,",
    importing: 'import { heartbeatRoute } from "./heartbeat/route.ts";',
  });
}

export function addContractAndPublication(copy: string): void {
  addLine(copy, "src/resources/contracts.ts", {
    after: "  modules: modulesContract,",
    line: "  heartbeat: heartbeatContract,",
    importing: 'import { heartbeatContract } from "./heartbeat/contract.ts";',
  });
  addLine(copy, "src/resources/publications.ts", {
    after: "  modules: ({ installationId }) => [modulesPublication(installationId)],",
    line: "  heartbeat: ({ installationId }) => [heartbeatPublication(installationId)],",
    importing: 'import { heartbeatPublication } from "./heartbeat/publication.ts";',
  });
}

/** The generated files that changed. */
export function generate(copy: string): string[] {
  const written = execFileSync(process.execPath, ["scripts/generate.ts"], { cwd: copy, encoding: "utf8" });
  return written.trim().split("\n").toSorted();
}

export function lay(copy: string, fixture: string, path: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  cpSync(join(FIXTURES, fixture), join(copy, path));
}

/** Inserts a line into a list after an existing line, and its import before the first import. */
function addLine(
  copy: string,
  path: string,
  { after, line, importing }: { after: string; line: string; importing: string },
): void {
  const text = readFileSync(join(copy, path), "utf8");
  expect(text, path).toContain(after);
  const added = text.replace(after, `${after}\n${line}`).replace(/^import /m, `${importing}\nimport `);
  writeFileSync(join(copy, path), added);
}
