/** Opens a command's input: a file, or standard input for `-`. */

import { fstatSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { Failure } from "../../../src/values/failure.ts";
import { errorMessage, systemCode } from "../../../src/values/unknown.ts";

const CHUNK_BYTES = 256 * 1024;

export interface Input {
  /** A chunk is valid until the next one is requested. Throws `Failure` (`file_unreadable`). */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Size in bytes; undefined unless the input is a regular file. */
  readonly size: number | undefined;
  close(): Promise<void>;
}

/** Throws `Failure` (exit 74): `file_unreadable`, `file_unreadable`. */
export async function openInput(path: string): Promise<Input> {
  if (path === "-") {
    const stats = fstatSync(process.stdin.fd);
    if (stats.isDirectory()) throw unreadable("standard input", "it is a directory");
    const size = stats.isFile() ? stats.size : undefined;
    return { chunks: readable(process.stdin), size, close: () => Promise.resolve() };
  }
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw unreadable(path, "it is a directory");
    const handle = await open(path);
    const size = stats.isFile() ? stats.size : undefined;
    return { chunks: contents(handle, path), size, close: () => handle.close() };
  } catch (cause) {
    throw inputFailure(cause, path);
  }
}

async function* contents(file: FileHandle, path: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (cause) {
    throw inputFailure(cause, path);
  }
}

async function* readable(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    throw inputFailure(cause, "standard input");
  }
}

/** Returns the `Failure` for an unreadable input: `file_unreadable`, `file_unreadable`. */
export function inputFailure(cause: unknown, path: string): Failure {
  if (cause instanceof Failure) return cause;
  if (systemCode(cause) === "ENOENT") {
    return new Failure("file_unreadable", `there is no file ${path}`, { cause });
  }
  return unreadable(path, errorMessage(cause), cause);
}

function unreadable(path: string, because: string, cause?: unknown): Failure {
  return new Failure("file_unreadable", `${path} cannot be read: ${because}`, { cause });
}
