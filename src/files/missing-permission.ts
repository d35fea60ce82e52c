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
  readonly says: string;
  readonly todo: string;
}

/**
 * Checks a file, and its -wal and -shm files if it is an SQLite database; undefined if permissions suffice. SQLite in
 * WAL mode needs a writable directory even for reading. Says so if a file is in the place of a directory.
 */
export function missingPermission(file: string, doing: "read" | "write"): Advice | undefined {
  const path = resolve(file);
  const directory = nearestDirectory(dirname(path));
  const files = [path, `${path}-wal`, `${path}-shm`].filter((one) => existsSync(one));
  for (const one of files) {
    const missing = refused(one, doing === "write" ? R_OK | W_OK : R_OK, `${doing} ${one}`);
    if (missing !== undefined) return missing;
  }
  if (!statSync(directory).isDirectory())
    return { says: `${directory} is a file, and no directory`, todo: "Name another path, or move that file away." };
  const why = existsSync(path) ? `, where ${path} needs a -wal and a -shm file beside it` : "";
  return refused(directory, W_OK | X_OK, `create files in ${directory}${why}`);
}

function refused(target: string, mode: number, what: string): Advice | undefined {
  try {
    accessSync(target, mode);
    return undefined;
  } catch (error) {
    const user = userName();
    if (systemCode(error) === "EROFS") {
      return {
        says: `the disk of ${target} is mounted read-only`,
        todo: "Mount it for writing, or name another path.",
      };
    }
    return { says: `the user ${user} may not ${what}`, todo: remedy(target, mode, user) };
  }
}

/** Never a new owner, which would take the file away from the program that uses it. */
function remedy(target: string, mode: number, user: string): string {
  const { uid, gid, mode: has } = statSync(target);
  const owner = nameOf("/etc/passwd", uid);
  const asOwner =
    owner === undefined
      ? `Run the command as the owner, user id ${uid}.`
      : `Run the command as the owner: runuser -u ${owner} -- noonmark …`;
  const group = nameOf("/etc/group", gid);
  // Nobody should join the group of root.
  if (gid === 0 || group === undefined) return asOwner;
  const lacks = ((has >> 3) & mode) === mode ? "" : ` && chmod g+${lettersOf(mode)} ${target}`;
  return `${asOwner} Or add ${user} to its group: usermod --append --groups ${group} ${user}${lacks}`;
}

function lettersOf(mode: number): string {
  return [mode & R_OK ? "r" : "", mode & W_OK ? "w" : "", mode & X_OK ? "x" : ""].join("");
}

/** The name of an id in a file like /etc/passwd. */
function nameOf(file: string, id: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.map((line) => line.split(":")).find((fields) => fields[2] === String(id))?.[0];
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
