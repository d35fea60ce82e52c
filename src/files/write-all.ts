/**
 * Writes that report how much they wrote. On a nearly full disk a write takes what fits, without an error, and the next one
 * fails. Nothing here returns before all bytes are written.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * A new file of these parts, on the disk when it returns; the umask may reduce `mode`. Throws as the file system does; a part
 * of the file may be left then.
 */
export async function writeNewFile(path: string, parts: readonly Uint8Array[], mode = 0o666): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await writeAll(file, parts);
    await file.datasync();
    const { size } = await file.stat();
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (size !== length) throw new Error(`${path} has ${size} bytes after ${length} were written`);
  } finally {
    await file.close();
  }
}

/** Appends to the file that `fd` was opened for. */
export function appendAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** Replaces the file's content, if any; on the disk when it returns. */
export function overwriteFile(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, "w");
  try {
    appendAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces the file, a symbolic link itself included. A reader never sees a part, and the old file's mode is not kept. The umask
 * may reduce `mode`.
 */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    const fd = openSync(temporary, "wx", mode);
    try {
      appendAll(fd, bytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function writeAll(file: Pick<FileHandle, "writev">, parts: readonly Uint8Array[]): Promise<void> {
  let rest = parts.filter((part) => part.length > 0);
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = behind(rest, bytesWritten);
  }
}

/** The rest of the parts after this many bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  return parts.flatMap((part) => {
    const skipped = Math.min(skip, part.length);
    skip -= skipped;
    return skipped === part.length ? [] : [part.subarray(skipped)];
  });
}
