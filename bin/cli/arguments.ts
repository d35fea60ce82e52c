/** Parsers of shared flags and arguments. Commander prints an `InvalidArgumentError` with the flag. */
import { InvalidArgumentError } from "commander";
import { Failure } from "../../src/values/failure.ts";
import { parseTimestamp } from "../../src/values/timestamp.ts";
import { isOneOf } from "../../src/values/unknown.ts";

/** Parses names from a closed list, separated by commas. */
export function namesArgument<Name extends string>(known: readonly Name[]): (text: string) => ReadonlySet<Name> {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    return new Set(
      names.map((name) => {
        if (!isOneOf(known, name)) throw new InvalidArgumentError(`"${name}" is none of ${known.join(", ")}`);
        return name;
      }),
    );
  };
}

/** Parses a number of seconds, 0 or more. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds >= 0)) throw new InvalidArgumentError("Give a number of seconds, 0 or more.");
  return seconds;
}

/** Parses a number above 0. */
export function positiveArgument(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number > 0) || !Number.isFinite(number)) {
    throw new InvalidArgumentError("Give a number above 0.");
  }
  return number;
}

/** Parses an integer above 0. */
export function wholeArgument(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("Give a whole number above 0.");
  return Number(text);
}

/** Returns an http or https URL; undefined for any other text. */
export function webUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Returns an http or https URL without query, fragment and credentials, so that a path can be appended. */
export function apiUrl(text: string): URL | undefined {
  const url = webUrl(text);
  return url?.search === "" && url.hash === "" && url.username === "" ? url : undefined;
}

/** Parses `--at` to epoch ms; `undefined` without the flag. Throws `Failure` usage. */
export function parseInstant(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = parseTimestamp(text);
  if (instant === undefined) {
    throw new Failure("usage", `--at "${text}" is not an instant`, {
      hint: "Give one in ISO 8601 with its zone, such as 2026-11-20T10:00:00Z.",
    });
  }
  return instant;
}
