/** Writes rejected lines to the file of `--rejects`, and reads them again for `--retry` (docs/spec/intake.md#codes). */
import { closeSync, openSync } from "node:fs";
import { diskFull, isDiskFull } from "../../../src/files/disk-full.ts";
import { PRIVATE_MODE } from "../../../src/files/private-file.ts";
import { appendAll } from "../../../src/files/write-all.ts";
import {
  type FaultHints,
  type RejectedFrom,
  type Rejection,
  rejectionJson,
  rejectionSentences,
} from "../../../src/ledger/intake/rejection.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { errorMessage, fieldsOf } from "../../../src/values/unknown.ts";

/** Appends one JSON object per rejected line. Throws `Failure` (exit 74). */
export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#guarded(() => openSync(path, "a", PRIVATE_MODE));
  }

  append(rejections: readonly Rejection[], from: RejectedFrom = {}): void {
    const bytes = Buffer.from(rejections.map((rejection) => `${rejectionJson(rejection, from)}\n`).join(""));
    this.#guarded(() => appendAll(this.#file, bytes));
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
        hint: "Name another file with --rejects.",
        cause,
      });
    }
  }
}

/** Reports rejections on stderr, and in the file of rejects, if any. */
export function reportRejections(
  rejections: readonly Rejection[],
  rejects: RejectsFile | undefined,
  from: RejectedFrom = {},
): void {
  rejects?.append(rejections, from);
  const prefix = prefixOf(from);
  const sentences = rejections.flatMap((rejection) => rejectionSentences(rejection, FAULT_HINTS));
  const lines = sentences.map((sentence) => `${prefix}${sentence}\n`);
  process.stderr.write(lines.join(""));
}

const FAULT_HINTS: FaultHints = { in_future: "--allow-future accepts it anyway" };

function prefixOf(from: RejectedFrom): string {
  if ("sequence" in from) return `message ${from.sequence}: `;
  return from.file === undefined ? "" : `${printable(from.file)}: `;
}

/** A byte that is invalid in UTF-8. Lines that were not UTF-8 have U+FFFD in the file, and must stay invalid. */
const NOT_UTF8 = Buffer.from([0xff]);
const LF = Buffer.from("\n");

/** Returns the original lines. Throws `Failure` (exit 74) `file_unreadable` if a line is not a rejected line. */
export async function* rejectedLines(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let line = 0;
  for await (const text of linesOf(chunks)) {
    line++;
    if (text !== "") yield rawOf(text, line, path);
  }
}

function rawOf(text: string, line: number, path: string): Uint8Array {
  const { code, raw } = parsed(text);
  if (typeof raw !== "string" || typeof code !== "string") {
    throw new Failure("file_unreadable", `line ${line} of ${path} is not a rejected line`, {
      hint: "--retry takes a file that --rejects wrote. For a file of facts, leave out --retry.",
    });
  }
  const wasNotUtf8 = code === "malformed_json" && raw.includes("\ufffd");
  return Buffer.concat([Buffer.from(raw), ...(wasNotUtf8 ? [NOT_UTF8] : []), LF]);
}

function parsed(text: string): { readonly code?: unknown; readonly raw?: unknown } {
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
