/**
 * Ingests the finished files of a spool directory in the order of their names, and moves them to `done/`. A file is
 * finished when its writer has renamed it to *.ndjson. Links, pipes, devices and unreadable files are moved to
 * `refused/`, so that they do not delay the next file.
 */
import { type Dirent, lstatSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../../../src/files/make-directory.ts";
import type { Counts, Intake } from "../../../../src/ledger/intake/intake.ts";
import { EXIT, Failure } from "../../../../src/values/failure.ts";
import { printable } from "../../../../src/values/printable.ts";
import { inputFailure } from "../input.ts";
import { type Followed, type IntakeOf, irregularity, NOTHING, OPEN_WITHOUT_LINKS, sumOf } from "./followed.ts";

const CHUNK_BYTES = 256 * 1024;

export class Spool implements Followed {
  readonly #directory: string;
  readonly #done: string;
  readonly #refused: string;
  readonly #intakeOf: IntakeOf;
  readonly #onRefused: (message: string) => void;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #counts: Counts = NOTHING;

  /** `onRefused` is called for each file that is moved to `refused/`. */
  constructor(directory: string, intakeOf: IntakeOf, onRefused: (message: string) => void) {
    this.#directory = directory;
    this.#done = join(directory, "done");
    this.#refused = join(directory, "refused");
    this.#intakeOf = intakeOf;
    this.#onRefused = onRefused;
  }

  get counts(): Counts {
    return this.#counts;
  }

  async poll(stopping: () => boolean): Promise<void> {
    for (const entry of await this.#finished()) {
      if (stopping()) return;
      const found = irregularity(entry);
      if (found === undefined) await this.#take(entry.name, stopping);
      else this.#refuse(entry.name, `is ${found}: only regular files are read`);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #finished(): Promise<Dirent[]> {
    try {
      const entries = await readdir(this.#directory, { withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".ndjson") && !entry.name.startsWith("."))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (cause) {
      throw inputFailure(cause, this.#directory);
    }
  }

  /** Ingests a file. If stopped, the file stays: the next run ingests it again, and its first lines are duplicates. */
  async #take(name: string, stopping: () => boolean): Promise<void> {
    const path = join(this.#directory, name);
    const target = this.#guarded(this.#done, () => freeName(this.#done, name));
    const rejects = `${target}.rejects`;
    // A run that was killed during this file left a file of rejects.
    this.#guarded(this.#done, () => rmSync(rejects, { force: true }));
    const opened = await openRegular(path);
    if (typeof opened === "string") return this.#refuse(name, opened);
    if (opened === undefined) return;
    const handle = opened;
    const file = this.#intakeOf({ name, rejects });
    let isWhole: boolean;
    try {
      isWhole = await this.#read(handle, file.intake, stopping);
      if (isWhole) file.intake.end();
      else file.intake.flush();
    } catch (cause) {
      // Failures of the ledger or of the file of rejects would affect every other file too.
      if (cause instanceof Failure) throw cause;
      return this.#refuse(name, unreadable(cause));
    } finally {
      this.#counts = sumOf(this.#counts, file.intake.counts);
      file.close();
      await handle.close();
    }
    if (isWhole) this.#guarded(this.#done, () => renameSync(path, target));
  }

  /** Moves a file to `refused/`, so that it is reported once and can be inspected. */
  #refuse(name: string, because: string): void {
    const target = this.#guarded(this.#refused, () => {
      const free = freeName(this.#refused, name);
      renameSync(join(this.#directory, name), free);
      return free;
    });
    this.#onRefused(`${printable(name)} ${because}. It was moved to ${printable(target)}`);
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
      throw new Failure("spool_unwritable", `${directory} cannot be written: ${(cause as Error).message}`, {
        exit: EXIT.io,
        hint: "Ingested files are moved there: give this user write permission for the spool directory.",
        cause,
      });
    }
  }
}

/** Returns an unused path for a moved file, and creates the directory. */
function freeName(directory: string, name: string): string {
  makeDirectory(directory);
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
    return (cause as NodeJS.ErrnoException).code === "ENOENT" ? undefined : unreadable(cause);
  }
}

function unreadable(cause: unknown): string {
  return `cannot be read: ${printable(cause instanceof Error ? cause.message : String(cause))}`;
}
