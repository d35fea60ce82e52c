import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory and those above it. Not `recursive: true`, which never returns where /proc answers ENOENT. */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
  }
}
