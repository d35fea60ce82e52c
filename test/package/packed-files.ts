/** Lists and packs the files that `npm pack` takes from the current build. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Paths relative to the package's root. Writes nothing. */
export function packedFiles(): ReadonlySet<string> {
  return new Set(npmPack(ROOT, ["--dry-run"]).files.map(({ path }) => path));
}

/** Writes the tarball into a directory and returns its path. */
export function packInto(directory: string): string {
  return join(directory, npmPack(ROOT, ["--pack-destination", directory]).filename);
}

/** Uses the build of the test run (test/support/build.ts); npm's scripts would build again. */
function npmPack(cwd: string, given: readonly string[]): Packed {
  const printed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...given], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = Object.values(JSON.parse(printed) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm pack listed no package: ${printed}`);
  return packed;
}
