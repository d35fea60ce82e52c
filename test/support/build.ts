/** Before the tests: the built program and its site are those of these sources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const cwd = join(import.meta.dirname, "../..");
  execFileSync(process.execPath, ["build/build.ts"], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
