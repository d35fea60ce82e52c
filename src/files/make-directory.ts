/** Directories and names that survive a power cut. */
import { closeSync, constants, existsSync, fchownSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory and its parents, and syncs them so that they survive a power cut. `recursive: true` is not used,
 * because it never returns if /proc responds with ENOENT.
 */
export function makeDirectory(path: string): void {
  try {
    makeOneDirectory(path);
    syncDirectory(dirname(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
  }
}

/**
 * If root has made the file, gives it to the owner of its directory. Otherwise a service of that owner could not use it.
 * `made` is the open file: its name may be another file's by now.
 */
export function giveToOwner(path: string, made: number): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(resolve(path)));
  if (uid !== 0) fchownSync(made, uid, gid);
}

/** Makes one directory, as its parent's owner. */
export function makeOneDirectory(path: string): void {
  mkdirSync(path);
  const made = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToOwner(path, made);
  } finally {
    closeSync(made);
  }
}

/** Syncs a directory's entries. Otherwise a power cut can lose a new file even if its content was synced. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
