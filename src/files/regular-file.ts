/** Reads only regular files: a link may lead to a secret, and a pipe or a device blocks the reader. */
import { type BigIntStats, constants, type Dirent, type Stats } from "node:fs";

/** Opens without waiting for the other end of a pipe. Check the open file by `irregularity` before reading it. */
export const OPEN_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;
/** The same, and fails with ELOOP on a symbolic link. */
export const OPEN_WITHOUT_LINKS = OPEN_WITHOUT_WAITING | constants.O_NOFOLLOW;

/** The kind of a file that is not regular, for a message; undefined for a regular file. */
export function irregularity(entry: Dirent | Stats | BigIntStats): string | undefined {
  if (entry.isFile()) return undefined;
  if (entry.isSymbolicLink()) return "a symbolic link";
  return entry.isDirectory() ? "a directory" : "a pipe, a socket or a device";
}
