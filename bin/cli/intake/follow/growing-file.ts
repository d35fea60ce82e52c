/** Follows a file that grows and is rotated. A replaced or truncated file is read from its beginning. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { type Counts, NO_COUNTS, sumOf } from "../../../../src/ledger/intake/intake.ts";
import { systemCode } from "../../../../src/values/unknown.ts";
import { inputFailure } from "../input.ts";
import { type FileIntake, type Followed, type IntakeOf, irregularity, OPEN_WITHOUT_WAITING } from "./followed.ts";

const CHUNK_BYTES = 256 * 1024;

interface Open {
  readonly handle: FileHandle;
  readonly file: FileIntake;
  /** Bytes read so far. */
  offset: number;
}

export class GrowingFile implements Followed {
  readonly #path: string;
  readonly #intakeOf: IntakeOf;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Counts of finished files. */
  #finished = NO_COUNTS;
  #open: Open | undefined;

  constructor(path: string, intakeOf: IntakeOf) {
    this.#path = path;
    this.#intakeOf = intakeOf;
  }

  get counts(): Counts {
    return this.#open === undefined ? this.#finished : sumOf(this.#finished, this.#open.file.intake.counts);
  }

  async poll(stopping: () => boolean): Promise<void> {
    for (;;) {
      this.#open ??= await this.#opened();
      if (this.#open === undefined) return;
      await this.#readOn(this.#open, stopping);
      if (stopping() || !(await this.#isOver(this.#open))) return;
      // The writer may have added lines before it switched to the next file.
      await this.#readOn(this.#open, stopping);
      if (stopping()) return;
      await this.#finish(this.#open);
    }
  }

  /** An unterminated last line is not read, because it may be incomplete. The next run reads it. */
  async close(): Promise<void> {
    if (this.#open === undefined) return;
    this.#finished = this.counts;
    const { handle, file } = this.#open;
    this.#open = undefined;
    file.close();
    await handle.close();
  }

  /** Opens the file; undefined if there is none. */
  async #opened(): Promise<Open | undefined> {
    try {
      const handle = await open(this.#path, OPEN_WITHOUT_WAITING);
      const found = irregularity(await handle.stat());
      if (found !== undefined) {
        await handle.close();
        throw new Error(`it is ${found}`);
      }
      return { handle, file: this.#intakeOf({}), offset: 0 };
    } catch (cause) {
      if (systemCode(cause) === "ENOENT") return undefined;
      throw inputFailure(cause, this.#path);
    }
  }

  async #readOn(open: Open, stopping: () => boolean): Promise<void> {
    const { intake } = open.file;
    for (let read = -1; read !== 0 && !stopping(); ) {
      read = await this.#guarded(
        async () => (await open.handle.read(this.#buffer, 0, CHUNK_BYTES, open.offset)).bytesRead,
      );
      open.offset += read;
      intake.write(this.#buffer.subarray(0, read));
    }
    intake.flush();
  }

  /** True if another file has its name, or the file became shorter. False if no file has its name. */
  async #isOver({ handle, offset }: Open): Promise<boolean> {
    const own = await this.#guarded(() => handle.stat({ bigint: true }));
    if (own.size < offset) return true;
    const named = await this.#guarded(() => statOrNone(this.#path));
    return named !== undefined && (named.ino !== own.ino || named.dev !== own.dev);
  }

  /** Also reads the last line: a finished input may lack its last line end. */
  async #finish(open: Open): Promise<void> {
    open.file.intake.end();
    await this.close();
  }

  async #guarded<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (cause) {
      throw inputFailure(cause, this.#path);
    }
  }
}

async function statOrNone(path: string) {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
