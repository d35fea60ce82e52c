/** The files that `npm pack` takes of the build as it is. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";

const ROOT = join(import.meta.dirname, "../..");

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Paths from the package's root; nothing is written. */
export function packedFiles(): ReadonlySet<string> {
  return new Set(npmPack(["--dry-run"]).files.map(({ path }) => path));
}

/** Writes the tarball into a directory, with the versions that it fixes; gives its path. One at a time on a machine. */
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

/** The steps of npm's own script before and after it packs. */
function shrinkwrap(action: "write" | "remove"): void {
  execFileSync(process.execPath, [join(ROOT, ".ci/shrinkwrap.mjs"), action]);
}

/** Held by the kernel, so that nobody else packs until it is closed. */
function openLock(): SqliteDatabase.Database {
  mkdirSync(join(ROOT, "node_modules/.cache"), { recursive: true });
  const lock = new SqliteDatabase(join(ROOT, "node_modules/.cache/noonmark-pack.lock"), { timeout: 60_000 });
  lock.exec("BEGIN EXCLUSIVE");
  return lock;
}

/** The build is the test run's own (test/support/build.ts): npm's scripts would make it again. */
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
