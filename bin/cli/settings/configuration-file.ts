/** `noonmark.json`: JSON with comments, one object of known keys. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { EXIT, Failure } from "../../../src/values/failure.ts";

export const DEFAULT_CONFIGURATION = "noonmark.json";

/**
 * Its keys and values, unchecked. Only the default file may be missing. Throws `Failure` invalid_configuration: unreadable,
 * no JSON (with line and column), no object.
 */
export function readConfiguration(path: string): Record<string, unknown> {
  if (path === DEFAULT_CONFIGURATION && !existsSync(path)) return {};
  const fail = (where: string, message: string, hint?: string, cause?: unknown) =>
    new Failure("invalid_configuration", `${resolve(path)}${where}: ${message}`, {
      exit: EXIT.usage,
      ...(hint === undefined ? {} : { hint }),
      cause,
    });
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const closed = code === "EACCES" || code === "EPERM";
    const hint = closed
      ? `Let this user read it, or run the command as the user who may: ls -l ${resolve(path)}`
      : "Name another file with --config, or write one with `noonmark init`.";
    throw fail("", `cannot be read: ${message}`, hint, cause);
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw fail(placeOf(text, error.offset), words(printParseErrorCode(error.error)));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fail("", "is not one JSON object");
  return value as Record<string, unknown>;
}

/** `:3:14`, line and column as editors count them. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CommaExpected` → `comma expected`. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
