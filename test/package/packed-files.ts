/** Lists and packs the files that `npm pack` takes from the current build. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";

const ROOT = join(import.meta.dirname, "../..");

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Paths relative to the package's root. Writes nothing. */
export function packedFiles(): ReadonlySet<string> {
  return new Set(npmPack(["--dry-run"]).files.map(({ path }) => path));
}

/** Writes the tarball with its shrinkwrap into a directory and returns its path. Only one process packs at a time. */
export function packInto(directory: string): string {
  const lock = openLock();
  try {
    shrinkwrap("write");
    return join(directory, npmPack(["--pack-destination", directory]).filename);
  } finally {
    shrinkwrap("remove");
    lock.close();
  }
}

/** The steps that npm's own script takes before and after packing. */
function shrinkwrap(action: "write" | "remove"): void {
  execFileSync(process.execPath, [join(ROOT, ".ci/shrinkwrap.mjs"), action]);
}

/** A kernel lock, held until it is closed. */
function openLock(): SqliteDatabase.Database {
  mkdirSync(join(ROOT, "node_modules/.cache"), { recursive: true });
  const lock = new SqliteDatabase(join(ROOT, "node_modules/.cache/noonmark-pack.lock"), { timeout: 60_000 });
  lock.exec("BEGIN EXCLUSIVE");
  return lock;
}

/** Uses the build of the test run (test/support/build.ts); npm's scripts would build again. */
function npmPack(given: readonly string[]): Packed {
  const printed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...given], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = Object.values(JSON.parse(printed) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm pack listed no package: ${printed}`);
  return packed;
}
