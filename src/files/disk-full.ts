import { EXIT, Failure } from "../values/failure.ts";

/** Whether an error of the file system, of SQLite or of ours says that no space is left, on a disk or in a quota. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOSPC" || code === "EDQUOT" || code === "SQLITE_FULL" || code === "disk_full";
}

/** `what` names the file for whoever runs the command: `the ledger ledger.db`. */
export function diskFull(what: string, cause: unknown): Failure {
  return new Failure("disk_full", `no space is left for ${what}`, {
    exit: EXIT.io,
    hint: "What stood there stands as it was. Make room, then run the same command again; a running publisher goes on by itself.",
    cause,
  });
}
