/**
 * Ingests the finished files of a spool directory in the order of their names, and moves them to `done/`. A file is
 * finished when its writer has renamed it to *.ndjson. Many may write there, so one bad file, or something else in the
 * place of `done/`, must neither stop the next file nor touch anything outside the spool.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type Dirent, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskFull, isDiskFull } from "../files/disk-full.ts";
import { syncDirectory } from "../files/make-directory.ts";
import { type Counts, type Intake, NO_COUNTS, sumOf } from "../ledger/intake/intake.ts";
import { Failure } from "../values/failure.ts";
import { printable } from "../values/printable.ts";
import { errorMessage, systemCode } from "../values/unknown.ts";
import { type Followed, type IntakeOf, irregularity, OPEN_WITHOUT_LINKS } from "./followed.ts";
import { inputFailure } from "./input.ts";

const CHUNK_BYTES = 256 * 1024;
/** Bytes. With `.2` and `.rejects` a longer name would exceed the 255 bytes of a file system. */
const LONGEST_NAME = 240;

/** Why one file cannot be moved, such as another user's file in a directory with the sticky bit. */
const ONLY_THIS_FILE: ReadonlySet<string> = new Set(["EXDEV", "ENAMETOOLONG", "ENOENT", "EACCES", "EPERM"]);

/** A regular file of the spool, or one that is refused. */
interface Waiting {
  readonly name: string;
  readonly path: string | Buffer;
  /** Why it is refused. */
  readonly refusal: string | undefined;
}

export class Spool implements Followed {
  readonly #directory: string;
  readonly #done: string;
  readonly #refused: string;
  readonly #intakeOf: IntakeOf;
  readonly #warn: (message: string) => void;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Files that could not be moved: name → inode. They are not taken again by this run. */
  readonly #stuck = new Map<string, number>();
  #counts = NO_COUNTS;

  /** `warn` is called for each file that is refused or cannot be moved. */
  constructor(directory: string, intakeOf: IntakeOf, warn: (message: string) => void) {
    this.#directory = directory;
    this.#done = join(directory, "done");
    this.#refused = join(directory, "refused");
    this.#intakeOf = intakeOf;
    this.#warn = warn;
  }

  get counts(): Counts {
    return this.#counts;
  }

  async poll(stopping: () => boolean): Promise<void> {
    for (const { name, path, refusal } of await this.#finished()) {
      if (stopping()) return;
      if (this.#isStuck(name, path)) continue;
      if (refusal !== undefined) this.#refuse(name, path, refusal);
      else await this.#take(name, stopping);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #finished(): Promise<Waiting[]> {
    try {
      const entries = await readdir(this.#directory, { withFileTypes: true, encoding: "buffer" });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => this.#waiting(entry))
        .filter(({ name }) => name.endsWith(".ndjson") && !name.startsWith("."))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (cause) {
      throw inputFailure(cause, this.#directory);
    }
  }

  #waiting(entry: Dirent<NonSharedBuffer>): Waiting {
    const name = entry.name.toString("utf8");
    const found = irregularity(entry);
    if (found !== undefined || isUtf8(entry.name)) {
      const refusal = found === undefined ? undefined : `is ${found}: only regular files are read`;
      return { name, path: join(this.#directory, name), refusal };
    }
    const path = Buffer.concat([Buffer.from(`${this.#directory}/`), entry.name]);
    return { name, path, refusal: "has a name that is not UTF-8" };
  }

  #isStuck(name: string, path: string | Buffer): boolean {
    const inode = this.#stuck.get(name);
    return inode !== undefined && lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
  }

  /** Ingests a file. If stopped, the file stays: the next run ingests it again, and its first lines are duplicates. */
  async #take(name: string, stopping: () => boolean): Promise<void> {
    const path = join(this.#directory, name);
    const target = this.#freePath(this.#done, name);
    const rejects = `${target}.rejects`;
    // A run that was killed during this file left a file of rejects.
    this.#guarded(this.#done, () => {
      if (lstatSync(rejects, { throwIfNoEntry: false })?.isFile() === true) rmSync(rejects);
    });
    const opened = await openRegular(path);
    if (typeof opened === "string") return this.#refuse(name, path, opened);
    if (opened === undefined) return;
    const handle = opened;
    const file = this.#intakeOf({ name, rejects });
    let isWhole: boolean;
    try {
      isWhole = await this.#read(handle, file.intake, stopping);
      if (isWhole) file.intake.end();
      else file.intake.flush();
    } catch (cause) {
      // Failures of the ledger or of a shared file of rejects would affect every other file too.
      const isOfThis = cause instanceof Failure && cause.code === "file_unwritable" && file.hasOwnRejects;
      if (cause instanceof Failure && !isOfThis) throw cause;
      return this.#refuse(name, path, isOfThis ? `was not taken: ${printable(cause.message)}` : unreadable(cause));
    } finally {
      this.#counts = sumOf(this.#counts, file.intake.counts);
      file.close();
      await handle.close();
    }
    if (isWhole) this.#move(name, path, target);
  }

  /** Moves a file to `refused/`, so that it is reported once and can be inspected. */
  #refuse(name: string, path: string | Buffer, because: string): void {
    const target = this.#freePath(this.#refused, name);
    if (this.#move(name, path, target)) {
      this.#warn(`${printable(name)} ${because}. It was moved to ${printable(target)}`);
    }
  }

  /** Returns false if only this file cannot be moved: it stays, and the next one is taken. */
  #move(name: string, path: string | Buffer, target: string): boolean {
    try {
      renameSync(path, target);
      return true;
    } catch (cause) {
      const code = systemCode(cause);
      const message = errorMessage(cause);
      if (!ONLY_THIS_FILE.has(code ?? "")) throw unwritable(target, cause);
      const inode = lstatSync(path, { throwIfNoEntry: false })?.ino;
      if (inode === undefined) return false;
      this.#stuck.set(name, inode);
      this.#warn(`${printable(name)} was read and cannot be moved: ${printable(message)}. Move it away by hand`);
      return false;
    }
  }

  /** Returns an unused path for a moved file, and creates the directory. */
  #freePath(wanted: string, name: string): string {
    return this.#guarded(wanted, () => {
      const directory = this.#ownDirectory(wanted);
      const isShort = Buffer.byteLength(name) <= LONGEST_NAME;
      return freeName(directory, isShort ? name : `${createHash("sha256").update(name).digest("hex")}.ndjson`);
    });
  }

  /**
   * Whatever else has the directory's name is renamed: through a link, files outside the spool would be changed, and
   * another user's directory may have links in it. If it cannot be renamed, the next name is taken.
   */
  #ownDirectory(wanted: string): string {
    for (let n = 1; ; n++) {
      const place = n === 1 ? wanted : `${wanted}.${n}`;
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats !== undefined && !isOwnDirectory(stats) && !this.#moveAside(place, stats)) continue;
      // Root keeps it: the owner of the spool could put links into a directory of his own.
      if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
        mkdirSync(place);
        syncDirectory(this.#directory);
      }
      return place;
    }
  }

  #moveAside(place: string, stats: Stats): boolean {
    const aside = freeName(this.#directory, `${place.slice(this.#directory.length + 1)}.moved`);
    try {
      renameSync(place, aside);
    } catch (cause) {
      const code = systemCode(cause);
      if (code === "EACCES" || code === "EPERM") return false;
      throw cause;
    }
    const what = stats.isDirectory() ? "another user's" : (irregularity(stats) ?? "a file");
    this.#warn(`${printable(place)} is ${what}. It was moved to ${printable(aside)}`);
    return true;
  }

  /** Returns true if the whole file was read. */
  async #read(handle: FileHandle, intake: Intake, stopping: () => boolean): Promise<boolean> {
    for (;;) {
      if (stopping()) return false;
      const { bytesRead } = await handle.read(this.#buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return true;
      intake.write(this.#buffer.subarray(0, bytesRead));
    }
  }

  #guarded<T>(directory: string, act: () => T): T {
    try {
      return act();
    } catch (cause) {
      throw unwritable(directory, cause);
    }
  }
}

function isOwnDirectory(stats: Stats): boolean {
  return stats.isDirectory() && stats.uid === process.geteuid?.();
}

function unwritable(place: string, cause: unknown): Failure {
  if (isDiskFull(cause)) return diskFull(place, cause);
  return new Failure("file_unwritable", `${place} cannot be written: ${errorMessage(cause)}`, {
    hint: "Ingested files are moved there: give this user write permission for the spool directory.",
    cause,
  });
}

function freeName(directory: string, name: string): string {
  for (let n = 1; ; n++) {
    const target = join(directory, n === 1 ? name : `${name}.${n}`);
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return target;
  }
}

/** Opens a file, or returns why it is rejected; undefined if it is gone. It may have changed since it was listed. */
async function openRegular(path: string): Promise<FileHandle | string | undefined> {
  try {
    const handle = await open(path, OPEN_WITHOUT_LINKS);
    const found = irregularity(await handle.stat());
    if (found === undefined) return handle;
    await handle.close();
    return `is ${found}: only regular files are read`;
  } catch (cause) {
    return systemCode(cause) === "ENOENT" ? undefined : unreadable(cause);
  }
}

function unreadable(cause: unknown): string {
  return `cannot be read: ${printable(errorMessage(cause))}`;
}
