/** Directories and names that survive a power cut. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and its parents, and syncs them so that they survive a power cut. `recursive: true` is not used,
 * because it never returns if /proc responds with ENOENT.
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
    syncDirectory(dirname(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
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
