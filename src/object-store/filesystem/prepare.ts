import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import { EXIT, Failure } from "../../values/failure.ts";

/** The lock of the machine's writers, and what shows that a directory is a store. */
export const STORE_MARK = ".noonmark-store";
/** Files on their way; on the disk of the store, for a rename to be one step. */
export const TEMPORARY = ".tmp";

/** A put of one file takes seconds at most: what is older was left by a writer that died. */
const STALE_MS = 600_000;

/**
 * Makes a directory a store, proves that it can be written, and removes what a dead writer left under way.
 * Throws `Failure`: `store_unwritable`, `disk_full`.
 */
export function prepareDirectory(directory: string): void {
  try {
    makeDirectory(join(directory, TEMPORARY));
    const now = probe(join(directory, TEMPORARY, `probe-${process.pid}`));
    sweep(join(directory, TEMPORARY), now);
    closeSync(openSync(join(directory, STORE_MARK), "a"));
  } catch (cause) {
    throw asFailure(directory, cause);
  }
}

/** Throws `Failure`: `store_unreadable` where something else stands in a directory's place. */
export function checkReadable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new Failure("store_unreadable", `the store ${path} is no directory`, {
    exit: EXIT.io,
    hint: "Name the directory that is published into with --store.",
  });
}

/** Writes and removes one file; gives the time (epoch ms) that the disk marks it with. */
function probe(path: string): number {
  const fd = openSync(path, "w");
  try {
    writeSync(fd, "probe\n");
    fsyncSync(fd);
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
    rmSync(path, { force: true });
  }
}

/** Only what is stale: a second writer may stand by, or be at work. */
function sweep(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > STALE_MS) rmSync(path, { force: true, recursive: true });
  }
}

function asFailure(directory: string, cause: unknown): Failure {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new Failure("disk_full", `the disk of the store ${directory} is full (${reason})`, {
      exit: EXIT.io,
      hint: "Free some space, or name a directory on another disk with --store.",
      cause,
    });
  }
  return new Failure("store_unwritable", `the store ${directory} cannot be written (${reason})`, {
    exit: EXIT.io,
    hint: "Name another directory with --store, or give this user the right to write there.",
    cause,
  });
}
