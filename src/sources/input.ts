/** A command's input: a file, or standard input for `-`, and how it is passed to an intake. */

import { fstatSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { Counts, Intake } from "../ledger/intake/intake.ts";
import { Failure } from "../values/failure.ts";
import { errorMessage, systemCode } from "../values/unknown.ts";

const CHUNK_BYTES = 256 * 1024;

export interface Input {
  /** A chunk is valid until the next one is requested. Throws `Failure` (`file_unreadable`). */
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Throws `Failure` file_unreadable. */
export async function openInput(path: string): Promise<Input> {
  if (path === "-") {
    const stats = fstatSync(process.stdin.fd);
    if (stats.isDirectory()) throw unreadable("standard input", "it is a directory");
    return { chunks: readable(process.stdin), close: () => Promise.resolve() };
  }
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw unreadable(path, "it is a directory");
    const handle = await open(path);
    return { chunks: contents(handle, path), close: () => handle.close() };
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

/** Returns the `Failure` file_unreadable. */
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

/** An input's lines are committed if nothing follows them for this long (ms). */
const QUIET_MS = 5;

/**
 * Passes chunks to an intake until they end or a strict run stops. While chunks arrive without a pause, the intake
 * decides the size of batches. Lines of a live input are committed as they arrive.
 */
export async function feed(chunks: AsyncIterable<Uint8Array>, intake: Intake): Promise<Counts> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    while (!intake.stopped) {
      const next = iterator.next();
      if (await isQuiet(next)) intake.flush();
      const { done, value } = await next;
      if (done === true) return intake.end();
      intake.write(value);
    }
    return intake.counts;
  } finally {
    intake.abort();
    await iterator.return?.();
  }
}

/** True if `next` does not resolve within QUIET_MS. Rejects if `next` does. */
export async function isQuiet(next: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, QUIET_MS, true);
  });
  try {
    return await Promise.race([next.then(() => false), quiet]);
  } finally {
    clearTimeout(timer);
  }
}
