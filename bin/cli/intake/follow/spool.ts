/**
 * A spool directory: each finished file is taken in, in the order of their names, and moved to `done/`. A file is
 * finished once it is called *.ndjson: its writer writes it under another name and renames it.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../../../src/files/make-directory.ts";
import type { Counts, Intake } from "../../../../src/ledger/intake/intake.ts";
import { EXIT, Failure } from "../../../../src/values/failure.ts";
import { inputFailure } from "../input.ts";
import { type Followed, type IntakeOf, NOTHING, sumOf } from "./followed.ts";

const CHUNK_BYTES = 256 * 1024;

export class Spool implements Followed {
  readonly #directory: string;
  readonly #done: string;
  readonly #intakeOf: IntakeOf;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #counts: Counts = NOTHING;

  constructor(directory: string, intakeOf: IntakeOf) {
    this.#directory = directory;
    this.#done = join(directory, "done");
    this.#intakeOf = intakeOf;
  }

  get counts(): Counts {
    return this.#counts;
  }

  async poll(stopping: () => boolean): Promise<void> {
    for (const name of await this.#finished()) {
      if (stopping()) return;
      await this.#take(name, stopping);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #finished(): Promise<string[]> {
    try {
      const entries = await readdir(this.#directory, { withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
      return names.filter((name) => name.endsWith(".ndjson") && !name.startsWith(".")).sort();
    } catch (cause) {
      throw inputFailure(cause, this.#directory);
    }
  }

  /** A file that is stopped in the middle stays: what is taken again is a duplicate. */
  async #take(name: string, stopping: () => boolean): Promise<void> {
    const path = join(this.#directory, name);
    const target = this.#target(name);
    const rejects = `${target}.rejects`;
    // Of a run that was killed in the middle of this file: it is not in done/ yet.
    this.#guarded(() => {
      makeDirectory(this.#done);
      rmSync(rejects, { force: true });
    });
    const handle = await opened(path);
    if (handle === undefined) return;
    const file = this.#intakeOf({ name, rejects });
    let isWhole: boolean;
    try {
      isWhole = await this.#read(handle, file.intake, stopping);
      if (isWhole) file.intake.end();
      else file.intake.flush();
    } catch (cause) {
      throw cause instanceof Failure ? cause : inputFailure(cause, path);
    } finally {
      this.#counts = sumOf(this.#counts, file.intake.counts);
      file.close();
      await handle.close();
    }
    if (isWhole) this.#guarded(() => renameSync(path, target));
  }

  /** Whether it came to the end. */
  async #read(handle: FileHandle, intake: Intake, stopping: () => boolean): Promise<boolean> {
    for (;;) {
      if (stopping()) return false;
      const { bytesRead } = await handle.read(this.#buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return true;
      intake.write(this.#buffer.subarray(0, bytesRead));
    }
  }

  /** Nothing that was moved before is lost to a file of the same name. */
  #target(name: string): string {
    for (let n = 1; ; n++) {
      const target = join(this.#done, n === 1 ? name : `${name}.${n}`);
      if (!existsSync(target)) return target;
    }
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (cause) {
      throw new Failure("spool_unwritable", `${this.#done} cannot be written: ${(cause as Error).message}`, {
        exit: EXIT.io,
        hint: "Files that were taken in are moved there: let this user write into the spool directory.",
        cause,
      });
    }
  }
}

/** Undefined where it is gone again. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw inputFailure(cause, path);
  }
}
