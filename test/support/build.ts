/** Global setup: builds the program and its site before the tests run, unless they are built from the current sources. */
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Folders that the build does not read, and the file outside `dist` that it writes. */
const NO_SOURCES = /^(?:\..*|node_modules|dist|test)$/;
const WORKER = "cdn-config/cloudflare/worker.js";

export function setup(): void {
  if (isBuilt()) return;
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** The build writes the program first and the contracts last, so an interrupted build is seen. */
function isBuilt(): boolean {
  const [began, ended] = [changedAt("dist/bin/main.js"), changedAt("dist/contracts.json")];
  return began <= ended && sources().every((path) => changedAt(path) < began);
}

/** Files, and their folders, which change when a file is deleted. */
function sources(): string[] {
  const top = readdirSync(ROOT, { withFileTypes: true }).filter(({ name }) => !NO_SOURCES.test(name));
  const below = top
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(ROOT, name), { recursive: true, encoding: "utf8" }).map((path) => join(name, path)),
    );
  return [...top.map(({ name }) => name), ...below].filter((path) => path !== WORKER);
}

/** Epoch ms; 0 if there is no such file. */
function changedAt(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
