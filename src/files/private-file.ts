/** Files that only their owner may read. */
import { closeSync, openSync } from "node:fs";
import { systemCode } from "../values/unknown.ts";
import { giveToOwner } from "./make-directory.ts";

/** The mode of an operator's private files; the umask may remove more bits. */
export const PRIVATE_MODE = 0o600;

/** Creates an empty file that only its owner may read. An existing file keeps its content and mode. */
export function makePrivateFile(path: string): void {
  try {
    const made = openSync(path, "wx", PRIVATE_MODE);
    giveToOwner(path, made);
    closeSync(made);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
