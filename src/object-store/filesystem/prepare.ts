/** Prepares a directory for writing, or checks that it can be read. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { diskFull, isDiskFull } from "../../files/disk-full.ts";
import { giveToOwner, makeDirectory, syncDirectory } from "../../files/make-directory.ts";
import { missingPermission, missingWithin } from "../../files/missing-permission.ts";
import { overwriteFile } from "../../files/write-all.ts";
import { Failure } from "../../values/failure.ts";
import { errorMessage, systemCode } from "../../values/unknown.ts";
import { StoreUnavailable } from "../object-store.ts";

/** The lock file of the machine's writers, which also marks a directory as a store. */
export const STORE_MARK = ".noonmark-store";
/** Directory of unfinished files, on the store's disk so that a rename is atomic. */
export const TEMPORARY = ".tmp";

/** Age at which a temporary file counts as a dead writer's (ms). A put takes seconds at most. */
const STALE_MS = 600_000;

/**
 * Names that an empty directory may contain: a dead writer's temporary files, and a new disk's directory for lost
 * files.
 */
const EMPTY_NAMES: ReadonlySet<string> = new Set([TEMPORARY, "lost+found"]);

/**
 * Makes an empty directory a store, checks that it can be written, and removes a dead writer's temporary files. Throws
 * `Failure`: `store_foreign`, `store_unusable`, `disk_full`.
 */
export function prepareDirectory(directory: string): void {
  try {
    checkOwn(directory);
    makeDirectory(join(directory, TEMPORARY));
    const now = probe(join(directory, TEMPORARY, `probe-${process.pid}`));
    cleanUp(join(directory, TEMPORARY), now);
    const mark = join(directory, STORE_MARK);
    const marked = openSync(mark, "a");
    giveToOwner(mark, marked);
    closeSync(marked);
    syncDirectory(directory);
  } catch (cause) {
    throw asFailure(directory, cause);
  }
}

/**
 * A publisher deletes files in its store, so it takes no directory with others. Throws store_foreign, store_unusable.
 */
export function checkOwn(directory: string): void {
  if (!existsSync(directory)) return;
  enter(directory);
  if (existsSync(join(directory, STORE_MARK))) return;
  const foreign = readdirSync(directory).find((name) => !EMPTY_NAMES.has(name));
  if (foreign === undefined) return;
  throw new Failure("store_foreign", `${directory} is not a store (${STORE_MARK} is missing) and contains ${foreign}`);
}

/** Throws store_foreign if the path is no directory, store_unusable if this user may not enter one above it. */
export function checkReadable(path: string): void {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw storeForbidden(path, path, "read", cause);
  }
  if (found?.isDirectory() === true) return enter(path);
  if (found === undefined) return;
  throw new Failure("store_foreign", `the store ${path} is not a directory`);
}

/** Throws `Failure` store_unusable if this user may not look into a directory. It is then no missing or empty store. */
function enter(directory: string): void {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
  } catch (cause) {
    throw storeForbidden(directory, directory, "read", cause);
  }
}

/** Says that a directory is not there, or is empty because its disk is not mounted. */
export function noStore(directory: string): StoreUnavailable {
  return new StoreUnavailable(`${directory}: no store is here (${STORE_MARK} is missing)`, {
    hint: "Mount the disk of the store, or name the directory that the publisher writes to. If the store is lost: docs/incidents.md#store-lost",
  });
}

/** Writes and removes a file, and returns its modification time (epoch ms by the disk's clock). */
function probe(path: string): number {
  try {
    overwriteFile(path, Buffer.from("probe\n"));
    return statSync(path).mtimeMs;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Removes only old files, because a second writer may be active. */
function cleanUp(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > STALE_MS) rmSync(path, { force: true, recursive: true });
  }
}

function asFailure(directory: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (isDiskFull(cause)) return diskFull(`the store ${directory}`, cause);
  const missing = missingPermission(join(directory, STORE_MARK), "write");
  const message = `the store ${directory} cannot be written: ${missing?.says ?? errorMessage(cause)}`;
  return new Failure("store_unusable", message, { hint: missing?.todo, cause });
}

/** True if the system refuses this user a file. Waiting does not change that. */
export function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(systemCode(error) ?? "");
}

/** Says who may not read or write `file` of the store, and what gives the whole store to this user. */
export function storeForbidden(directory: string, file: string, doing: "read" | "write", cause: unknown): Failure {
  const missing = missingWithin(directory, file, doing);
  const message = `the store ${directory} is not ${doing === "read" ? "readable" : "writable"}: ${missing?.says ?? errorMessage(cause)}`;
  return new Failure("store_unusable", message, { hint: missing?.todo, cause });
}
