/** Before the tests: the built program and its site are those of these sources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const cwd = join(import.meta.dirname, "../..");
  const steps = [
    [join(cwd, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"],
    ["cdn-config/write-worker.ts"],
    ["cdn-config/copy-programs.ts"],
    ["site/write.ts"],
  ];
  for (const step of steps) execFileSync(process.execPath, step, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
