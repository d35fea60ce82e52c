/** Files that an operator names: which names are refused, and how short ones are read. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * Returns why a name is refused. The SQLite driver removes blanks at both ends and gives some names another meaning, so
 * it would open another file than the one that was checked.
 */
export function pathFault(path: string): string | undefined {
  if (path === "") return "is empty";
  if (/\p{Cc}/u.test(path)) return "has a control character, such as a line end";
  if (!path.isWellFormed()) return "is not Unicode";
  if (path !== path.trim()) return "begins or ends with a blank";
  return /^(?:file:|:memory:$)/i.test(path) ? "means something else to SQLite; begin it with ./" : undefined;
}

const GROUP_AND_OTHERS = 0o077;

/** True if other users than the owner may use a file of this mode. */
export function isExposed(mode: number): boolean {
  return (mode & GROUP_AND_OTHERS) !== 0;
}

/**
 * Rejects a file of more than `longest` bytes, and a pipe or a device, whose reading may never end. `mode` is the open
 * file's, so no other file can have taken its place since.
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
