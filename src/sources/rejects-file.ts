/** Writes rejected lines to the file of `--rejects`, and reads them again for `--retry` (docs/spec/intake.md#codes). */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { diskFull, isDiskFull } from "../files/disk-full.ts";
import { PRIVATE_MODE } from "../files/private-file.ts";
import { appendAll } from "../files/write-all.ts";
import { type RejectedFrom, type Rejection, rejectionJson } from "../ledger/intake/rejection.ts";
import { Failure } from "../values/failure.ts";
import { errorMessage, fieldsOf } from "../values/unknown.ts";

/** Limit for one file of a spool, or one message. A writer of short lines must not fill the disk of the ledger. */
const REPORTED_LIMIT = 1_000;
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Appends one JSON object per rejected line. Others may write to its directory, so it writes to no file that another user
 * or a link may have put there. Throws `Failure` (exit 74).
 */
export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#guarded(() => openOwn(path));
  }

  append(lines: readonly string[]): void {
    this.#guarded(() => appendAll(this.#file, Buffer.from(lines.map((line) => `${line}\n`).join(""))));
  }

  close(): void {
    closeSync(this.#file);
  }

  #guarded<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      if (isDiskFull(cause)) throw diskFull(`the rejects file ${this.#path}`, cause);
      const message = errorMessage(cause);
      throw new Failure("file_unwritable", `the rejects file ${this.#path} cannot be written: ${message}`, {
        hint: "Name another file for the rejected lines.",
        cause,
      });
    }
  }
}

function openOwn(path: string): number {
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, PRIVATE_MODE);
  const stats = fstatSync(file);
  const isOwn = stats.isFile() && stats.nlink === 1 && stats.uid === process.geteuid?.();
  if (isOwn) return file;
  closeSync(file);
  throw new Error("it is no regular file, has a second name, or belongs to another user");
}

/** Writes rejections of one file or message: the first ones in full, and at its end the number of the others. */
export class LimitedReport {
  readonly #from: RejectedFrom;
  readonly #rejects: () => RejectsFile | undefined;
  #reported = 0;
  #more = 0;

  constructor(from: RejectedFrom, rejects: () => RejectsFile | undefined) {
    this.#from = from;
    this.#rejects = rejects;
  }

  add(rejections: readonly Rejection[]): void {
    const first = rejections.slice(0, REPORTED_LIMIT - this.#reported);
    this.#reported += first.length;
    this.#more += rejections.length - first.length;
    if (first.length > 0) appendRejections(first, this.#rejects(), this.#from);
  }

  end(): void {
    if (this.#more === 0) return;
    this.#rejects()?.append([JSON.stringify({ ...this.#from, more: this.#more })]);
    this.#more = 0;
  }
}

/** Writes rejections into the file of rejects, if any. */
export function appendRejections(
  rejections: readonly Rejection[],
  rejects: RejectsFile | undefined,
  from: RejectedFrom,
): void {
  rejects?.append(rejections.map((rejection) => rejectionJson(rejection, from)));
}

/** A byte that is invalid in UTF-8. Lines that were not UTF-8 have U+FFFD in the file, and must stay invalid. */
const NOT_UTF8 = Buffer.from([0xff]);
const LF = Buffer.from("\n");

/** Returns the original lines. Throws `Failure` (exit 74) `file_unreadable` if a line is not a rejected line. */
export async function* rejectedLines(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let line = 0;
  for await (const text of linesOf(chunks)) {
    line++;
    // The lines that were only counted are in their file or message.
    if (text !== "" && typeof parsed(text).more !== "number") yield rawOf(text, line, path);
  }
}

function rawOf(text: string, line: number, path: string): Uint8Array {
  const { code, raw } = parsed(text);
  if (typeof raw !== "string" || typeof code !== "string") {
    throw new Failure("file_unreadable", `line ${line} of ${path} is not a rejected line`, {
      hint: "Name a file of rejected lines. A file of facts is taken without this option.",
    });
  }
  const wasNotUtf8 = code === "malformed_json" && raw.includes("\ufffd");
  return Buffer.concat([Buffer.from(raw), ...(wasNotUtf8 ? [NOT_UTF8] : []), LF]);
}

function parsed(text: string): { readonly code?: unknown; readonly raw?: unknown; readonly more?: unknown } {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}
