/** What `npm pack` holds of the build as it is. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Paths from the package's root; nothing is written. */
export function packedFiles(): ReadonlySet<string> {
  return new Set(npmPack(["--dry-run"]).files.map(({ path }) => path));
}

/** Writes the tarball into a directory; gives its path. */
export function packInto(directory: string): string {
  return join(directory, npmPack(["--pack-destination", directory]).filename);
}

/** The build is the test run's own (test/support/build.ts): npm's scripts would make it anew. */
function npmPack(given: readonly string[]): Packed {
  const printed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...given], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = Object.values(JSON.parse(printed) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm pack says of nothing: ${printed}`);
  return packed;
}
