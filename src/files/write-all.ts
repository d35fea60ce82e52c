/**
 * Writes that say how much they wrote: on a nearly full disk a write takes what fits, without an error, and the next
 * one fails. Nothing here returns before all bytes are written.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * A new file of these parts, on the disk when it returns; `mode` is what the umask may take from. Throws as the file
 * system does; a file may be left then.
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

/** Behind the end of the file that `fd` was opened to append to. */
export function appendAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** In place of what the file held, if anything; on the disk when it returns. */
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
 * In place of whatever stood there, a symbolic link itself included: nobody sees half, and a file that others may read
 * passes its mode on to none. `mode` is what the umask may take from.
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

/** What is left of the parts behind so many bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  return parts.flatMap((part) => {
    const skipped = Math.min(skip, part.length);
    skip -= skipped;
    return skipped === part.length ? [] : [part.subarray(skipped)];
  });
}
