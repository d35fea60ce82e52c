/** Reads short files that an operator names. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * Rejects a file of more than `longest` bytes, and a pipe or a device, whose reading may never end. `mode` is the open file's, so no
 * other file can have taken its place since.
 */
export function readShortFile(path: string, longest: number): { readonly text: string; readonly mode: number } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > longest) throw new Error(`it has ${stats.size} bytes`);
    return { text: readFileSync(fd, "utf8"), mode: stats.mode & 0o777 };
  } finally {
    closeSync(fd);
  }
}
