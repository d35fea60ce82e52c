/**
 * Writes files completely. On a nearly full disk, a write may succeed with fewer bytes and only the next one fails.
 * These functions return after all bytes are written.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { giveToOwner } from "./make-directory.ts";

/**
 * Writes a new file of these parts and syncs it; the umask may reduce `mode`. Throws file system errors; a partial file
 * may then remain.
 */
export async function writeNewFile(path: string, parts: readonly Uint8Array[], mode = 0o666): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    giveToOwner(path, file.fd);
    await writeAll(file, parts);
    await file.datasync();
    const { size } = await file.stat();
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (size !== length) throw new Error(`${path} has ${size} bytes after ${length} were written`);
  } finally {
    await file.close();
  }
}

/** Appends to an open file. */
export function appendAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** Replaces the file's content, or creates it, and syncs it. */
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
 * Replaces the file atomically: a reader never sees a partial file. A symbolic link itself is replaced. The old file's
 * mode is lost, and the umask may reduce `mode`.
 */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    const fd = openSync(temporary, "wx", mode);
    try {
      giveToOwner(temporary, fd);
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

/** Returns what remains of the parts after the first `bytes` bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  return parts.flatMap((part) => {
    const skipped = Math.min(skip, part.length);
    skip -= skipped;
    return skipped === part.length ? [] : [part.subarray(skipped)];
  });
}
