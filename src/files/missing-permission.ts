/**
 * Describes the permission that this process lacks for a file. System errors do not name the user, and SQLite's do not
 * name the file either.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import type { Advice } from "../values/no-response.ts";

const { R_OK, W_OK, X_OK } = constants;

/**
 * Checks a file, and its -wal and -shm files if it is an SQLite database; undefined if permissions suffice. SQLite in
 * WAL mode needs a writable directory even for reading.
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

/** In a container, a user id may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
