/**
 * Describes the permission that this process lacks for a file. System errors do not name the user, and SQLite's do not
 * name the file either.
 */
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { systemCode } from "../values/unknown.ts";

const { R_OK, W_OK, X_OK } = constants;

/** A missing permission, and the operator's next step. */
interface Advice {
  /** "unusable": a file is in the place of a directory. */
  readonly fault: "forbidden" | "unusable";
  readonly says: string;
  readonly todo: string;
}

/**
 * Checks a file, and its -wal and -shm files if it is an SQLite database; undefined if permissions suffice. SQLite in WAL
 * mode needs a writable directory even for reading, for a -wal and a -shm file. Says so if a file is in the place of a
 * directory.
 */
export function missingPermission(file: string, doing: "read" | "write"): Advice | undefined {
  const path = resolve(file);
  const directory = nearestThere(dirname(path));
  const files = [path, `${path}-wal`, `${path}-shm`].filter((one) => existsSync(one));
  for (const one of files) {
    const missing = refused(one, doing === "write" ? R_OK | W_OK : R_OK, `${doing} ${one}`);
    if (missing !== undefined) return missing;
  }
  if (!statSync(directory).isDirectory())
    return {
      fault: "unusable",
      says: `${directory} is a file, and no directory`,
      todo: "Name another path, or move that file away.",
    };
  return refused(directory, W_OK | X_OK, `create files in ${directory}`);
}

/** As `missingPermission`, for one file of the directory `place`, where other files may have the same fault. */
export function missingWithin(place: string, file: string, doing: "read" | "write"): Advice | undefined {
  const target = nearestThere(file);
  const directory = dirname(target);
  return (
    refused(target, doing === "write" ? R_OK | W_OK : R_OK, `${doing} ${target}`, place) ??
    (doing === "write" ? refused(directory, W_OK | X_OK, `create files in ${directory}`, place) : undefined)
  );
}

function refused(target: string, mode: number, what: string, place = target): Advice | undefined {
  try {
    accessSync(target, mode);
    return undefined;
  } catch (error) {
    const user = userName();
    if (systemCode(error) === "EROFS") {
      return {
        fault: "forbidden",
        says: `the disk of ${target} is mounted read-only`,
        todo: "Mount it for writing, or name another path.",
      };
    }
    const says = `the user ${user} may not ${what}, which belongs to ${ownerOf(target)}`;
    return { fault: "forbidden", says, todo: remedy(target, nearestThere(place), user) };
  }
}

/** Only root may give a file away. An owner other than root may be the user that the command should run as. */
function remedy(target: string, place: string, user: string): string {
  const give = `As root, give it to the user that runs the service: chown -R ${user}: ${place}`;
  const { uid } = statSync(target);
  return uid === 0 ? give : `Run the command as ${ownerOf(target)}. Or: ${give}`;
}

function ownerOf(path: string): string {
  const { uid } = statSync(path);
  return nameOf("/etc/passwd", uid) ?? `user id ${uid}`;
}

/** The name of an id in a file like /etc/passwd. */
function nameOf(file: string, id: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.map((line) => line.split(":")).find((fields) => fields[2] === String(id))?.[0];
}

function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

/** In a container, a user id may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
