/** Directories and names that survive a power cut. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and those above it, each durable: after a power cut it is there. Not `recursive: true`, which never
 * returns if /proc responds with ENOENT.
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

/** Makes the names in a directory durable: a new one is lost in a power cut although its own bytes are synced. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
