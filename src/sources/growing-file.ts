/**
 * Follows a file that grows and is rotated (docs/spec/intake.md#follow). Its writer may go on in the old file for a
 * while, so replaced files stay open, and each is read before the ones that came after it.
 */
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Counts, type Intake, NO_COUNTS, sumOf } from "../ledger/intake/intake.ts";
import { printable } from "../values/printable.ts";
import { errorMessage, systemCode } from "../values/unknown.ts";
import { type FileIntake, type Followed, type IntakeOf, irregularity, OPEN_WITHOUT_WAITING } from "./followed.ts";
import { inputFailure } from "./input.ts";

const CHUNK_BYTES = 256 * 1024;
/** A replaced file has not grown for so long before the next one is read (ms). */
const QUIET_MS = 2_000;
/** A replaced file is read on for so long after its last line (ms), and the newest of them only. */
const REPLACED_KEPT_MS = 3_600_000;
const REPLACED_KEPT_FILES = 16;
/** The ending that rotation appends to a file name; the group is the ending of a compressed file. */
const ROTATED = /^[.-]\d[\dT:_.-]*(?:\.([a-z]\w*))?$/;
const NUMERIC = new Intl.Collator("en", { numeric: true });

interface Open {
  readonly handle: FileHandle;
  /** Device and inode. */
  readonly id: string;
  file: FileIntake;
  /** Bytes read so far. */
  offset: number;
  /** Its size at the last look or read. */
  size: number;
  /** When it was opened or seen to have grown, by `now`. */
  grewAt: number;
  /** True if it was replaced, its last line was taken, and the next file is read, too. */
  isOver: boolean;
}

export class GrowingFile implements Followed {
  readonly #path: string;
  readonly #intakeOf: IntakeOf;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Counts of files that are closed. */
  #finished = NO_COUNTS;
  /** The open files, in the order in which they had the name. */
  #files: Open[] = [];
  /** The file that was read last. */
  #reading: Open | undefined;
  /** Files that were read to their end and closed: id, size and time of the last change. */
  readonly #closed = new Set<string>();
  /** Names of rotated files that were reported because they cannot be read. */
  readonly #reported = new Set<string>();
  /** True if a file was renamed while the directory was listed. */
  #mustLookAgain = false;

  /** `warn` is called for rotated files that cannot be read; `now` is a monotonic clock (ms). */
  constructor(path: string, intakeOf: IntakeOf, warn: (message: string) => void, now = () => performance.now()) {
    this.#path = path;
    this.#intakeOf = intakeOf;
    this.#warn = warn;
    this.#now = now;
  }

  get counts(): Counts {
    return this.#files.reduce((sum, { file }) => sumOf(sum, file.intake.counts), this.#finished);
  }

  async poll(stopping: () => boolean): Promise<void> {
    await this.#guarded(() => this.#look());
    for (const [at, open] of this.#files.entries()) {
      // If a later file has bytes, the writer has switched to it. So the old one is read after this look.
      const next = this.#files[at + 1];
      const isReplaced = await this.#guarded(() => haveBytes(this.#files.slice(at + 1)));
      await this.#readOn(open, stopping);
      if (stopping()) return;
      if (next === undefined) break;
      if (open.isOver) continue;
      if (!isReplaced || this.#now() - Math.max(open.grewAt, next.grewAt) < QUIET_MS) break;
      this.#select(open).end();
      open.isOver = true;
    }
    await this.#guarded(() => this.#closeOld());
  }

  /** An unterminated last line is not read, because it may be incomplete. The next run reads it. */
  async close(): Promise<void> {
    for (const open of this.#files.splice(0)) await this.#close(open);
  }

  /** Opens the file that has the name now, and those that had it since the last look. */
  async #look(): Promise<void> {
    const wasTruncated = await this.#restartTruncated();
    const last = this.#files.at(-1);
    const isNamed = last !== undefined && last.id === (await idAt(this.#path));
    const isRotating = this.#mustLookAgain || this.#files.slice(0, -1).some(({ isOver }) => !isOver);
    if (isNamed && !wasTruncated && !isRotating) return;
    // The name is opened before the directory is listed: a file that loses the name in between is found there.
    const current = isNamed ? last : await this.#opened(this.#path);
    this.#files = this.#files.filter((open) => open !== current);
    if (current !== undefined) this.#files.push(Object.assign(current, { isOver: false }));
    const rotated = await this.#rotated();
    this.#files.splice(current === undefined ? this.#files.length : -1, 0, ...rotated);
  }

  /** Begins again with each file that became shorter. Returns true if there was one. */
  async #restartTruncated(): Promise<boolean> {
    let wasTruncated = false;
    for (const open of this.#files) {
      const { size } = await statOf(open);
      this.#sees(open, Number(size));
      if (size >= open.offset) continue;
      this.#select(open).end();
      this.#finish(open);
      Object.assign(open, { file: this.#intakeOf({}), offset: 0, isOver: false });
      wasTruncated = true;
    }
    return wasTruncated;
  }

  /** Opens the rotated files beside the path that are not known, the oldest first. */
  async #rotated(): Promise<Open[]> {
    this.#mustLookAgain = false;
    const directory = dirname(this.#path);
    const name = basename(this.#path);
    const known = [
      ...this.#closed,
      ...(await Promise.all(this.#files.map(async (open) => stateOf(await statOf(open))))),
    ];
    const found: { readonly open: Open; readonly entry: string; readonly changedAt: bigint }[] = [];
    const unread: string[] = [];
    for (const entry of await readdir(directory)) {
      const [isRotated, compression] = entry.startsWith(name) ? (ROTATED.exec(entry.slice(name.length)) ?? []) : [];
      const path = join(directory, entry);
      const stats = isRotated === undefined ? undefined : await statOrNone(path);
      if (stats === undefined || known.includes(stateOf(stats)) || this.#isOpen(idOf(stats))) continue;
      // A compressed file keeps the time of the last change.
      if (compression !== undefined && known.some((state) => state.endsWith(`:${stats.mtimeNs}`))) continue;
      try {
        if (compression !== undefined) throw new Error("it is compressed");
        const open = await this.#opened(path);
        if (open === undefined) this.#mustLookAgain = true;
        else if (!this.#files.includes(open)) found.push({ open, entry, changedAt: stats.mtimeNs });
      } catch (cause) {
        if (!this.#reported.has(entry)) unread.push(`${printable(entry)} (${errorMessage(cause)})`);
        this.#reported.add(entry);
      }
    }
    if (unread.length > 0)
      this.#warn(
        `not read beside ${printable(name)}: ${unread.join(", ")}. Give noonmark ingest the lines that the ledger lacks`,
      );
    // If two files have the same time, FILE.2 is older than FILE.1.
    found.sort((one, other) => Number(one.changedAt - other.changedAt) || NUMERIC.compare(other.entry, one.entry));
    return found.map(({ open }) => open);
  }

  #isOpen(id: string): boolean {
    return this.#files.some((open) => open.id === id);
  }

  /** Opens a file, or returns it if it is open already; undefined if there is none. */
  async #opened(path: string): Promise<Open | undefined> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, OPEN_WITHOUT_WAITING);
      const stats = await handle.stat({ bigint: true });
      const found = irregularity(stats);
      if (found !== undefined) throw new Error(`it is ${found}`);
      const id = idOf(stats);
      const known = this.#files.find((one) => one.id === id);
      if (known === undefined)
        return { handle, id, file: this.#intakeOf({}), offset: 0, size: 0, grewAt: this.#now(), isOver: false };
      await handle.close();
      return known;
    } catch (cause) {
      await handle?.close();
      if (systemCode(cause) === "ENOENT") return undefined;
      throw cause;
    }
  }

  async #readOn(open: Open, stopping: () => boolean): Promise<void> {
    while (!stopping()) {
      const { bytesRead } = await this.#guarded(() => open.handle.read(this.#buffer, 0, CHUNK_BYTES, open.offset));
      if (bytesRead === 0) break;
      open.offset += bytesRead;
      if (open.offset > open.size) this.#sees(open, open.offset);
      this.#select(open).write(this.#buffer.subarray(0, bytesRead));
    }
    open.file.intake.flush();
  }

  #sees(open: Open, size: number): void {
    if (size !== open.size) Object.assign(open, { size, grewAt: this.#now() });
  }

  /** Each intake keeps what it knows of the ledger, and another one may have changed the ledger since. */
  #select(open: Open): Intake {
    if (this.#reading !== open) open.file.intake.abort();
    this.#reading = open;
    return open.file.intake;
  }

  /**
   * Closes replaced files that have been silent for long. Of one that grows after that, a later rotation reads the new
   * lines.
   */
  async #closeOld(): Promise<void> {
    for (const open of this.#files.slice(0, -1)) {
      if (!open.isOver || (this.#files.length <= REPLACED_KEPT_FILES && this.#now() - open.grewAt < REPLACED_KEPT_MS))
        return;
      const stats = await statOf(open);
      if (stats.size === BigInt(open.offset)) this.#closed.add(stateOf(stats));
      this.#files.shift();
      await this.#close(open);
    }
  }

  #finish({ file }: Open): void {
    this.#finished = sumOf(this.#finished, file.intake.counts);
    file.close();
  }

  async #close(open: Open): Promise<void> {
    this.#finish(open);
    await open.handle.close();
  }

  async #guarded<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (cause) {
      throw inputFailure(cause, this.#path);
    }
  }
}

async function haveBytes(files: readonly Open[]): Promise<boolean> {
  for (const open of files) if ((await statOf(open)).size > 0n) return true;
  return false;
}

function statOf({ handle }: Open): Promise<BigIntStats> {
  return handle.stat({ bigint: true });
}

async function idAt(path: string): Promise<string | undefined> {
  const stats = await statOrNone(path);
  return stats && idOf(stats);
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function stateOf(stats: BigIntStats): string {
  return `${idOf(stats)}:${stats.size}:${stats.mtimeNs}`;
}

async function statOrNone(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
