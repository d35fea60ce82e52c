/** The lines of a rejects file as they were, to be taken in again (docs/spec/intake.md#codes). */
import { EXIT, Failure } from "../../../src/values/failure.ts";

/** A byte that is in no UTF-8: a line that was none must not pass for one now that it has U+FFFD in its place. */
const NOT_UTF8 = Buffer.from([0xff]);
const LF = Buffer.from("\n");

/** Throws `Failure` (exit 74): `input_unreadable` where a line is no rejected line. */
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
    throw new Failure("input_unreadable", `line ${line} of ${path} is no rejected line`, {
      exit: EXIT.io,
      hint: "--retry takes a file that --rejects wrote; facts are taken without it.",
    });
  }
  const wasNotUtf8 = code === "malformed_json" && raw.includes("\ufffd");
  return Buffer.concat([Buffer.from(raw), ...(wasNotUtf8 ? [NOT_UTF8] : []), LF]);
}

function parsed(text: string): { readonly code?: unknown; readonly raw?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
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
