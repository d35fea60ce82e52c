/**
 * The permission that this process lacks for a file, in words. The system's own error names neither the user nor, from
 * SQLite, the file.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import type { Advice } from "../values/no-response.ts";

const { R_OK, W_OK, X_OK } = constants;

/**
 * For an SQLite file or any other; undefined if nothing is against it. A file that is written, and each that SQLite reads
 * in WAL mode, needs its directory to be writable too.
 */
export function missingPermission(file: string, doing: "read" | "write"): Advice | undefined {
  const path = resolve(file);
  const directory = nearestDirectory(dirname(path));
  const files = [path, `${path}-wal`, `${path}-shm`].filter((one) => existsSync(one));
  for (const one of files) {
    const missing = refused(one, doing === "write" ? R_OK | W_OK : R_OK, `${doing} ${one}`);
    if (missing !== undefined) return missing;
  }
  const why = existsSync(path) ? `, where ${path} needs a -wal and a -shm file beside it` : "";
  return refused(directory, W_OK | X_OK, `create files in ${directory}${why}`);
}

function refused(target: string, mode: number, what: string): Advice | undefined {
  try {
    accessSync(target, mode);
    return undefined;
  } catch (error) {
    const user = userName();
    if ((error as NodeJS.ErrnoException).code === "EROFS") {
      return {
        says: `the disk of ${target} is mounted read-only`,
        todo: "Mount it for writing, or name another path.",
      };
    }
    return {
      says: `the user ${user} may not ${what}`,
      todo: `Run the command as the owner (user id ${statSync(target).uid}), or give ${user} the right: chown ${user} ${target}`,
    };
  }
}

function nearestDirectory(path: string): string {
  return existsSync(path) ? path : nearestDirectory(dirname(path));
}

/** A container's user may have an id and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
