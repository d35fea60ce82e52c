/** Recognises a full disk, and reports it with one code everywhere. */
import { existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Failure } from "../values/failure.ts";
import { systemCode } from "../values/unknown.ts";

/** True if an error of the file system, SQLite or Noonmark means that the disk or a quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOSPC" || code === "EDQUOT" || code === "SQLITE_FULL" || code === "disk_full";
}

/** SQLite extends its -shm file by this much. Without that space it reports "disk I/O error". */
const LEAST_FREE_BYTES = 32 * 1024;

/** True if files on the path's disk cannot grow, or if no inode is free. */
export function hasNoSpace(path: string): boolean {
  const place = resolve(path);
  if (!existsSync(place)) return place !== dirname(place) && hasNoSpace(dirname(place));
  const { bavail, bsize, files, ffree } = statfsSync(place);
  return bavail * bsize < LEAST_FREE_BYTES || (files > 0 && ffree === 0);
}

/** `what` names the file in the message, for example `the ledger ledger.db`. */
export function diskFull(what: string, cause: unknown): Failure {
  return new Failure("disk_full", `no space is left for ${what}`, { cause });
}
