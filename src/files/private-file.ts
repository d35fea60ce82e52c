/** Files that only their owner may read. */
import { closeSync, openSync } from "node:fs";

/** The mode of an operator's own files; the umask may take more away. */
export const PRIVATE_MODE = 0o600;

/** Creates an empty file that only its owner may read. An existing one keeps its mode. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
