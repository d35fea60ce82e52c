/** Global setup: builds the program and its site from the current sources before the tests run. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const cwd = join(import.meta.dirname, "../..");
  execFileSync(process.execPath, ["build/build.ts"], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
