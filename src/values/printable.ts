/**
 * Makes foreign text safe for a terminal, a log or a report, such as a message of a node or a store, a file name or a
 * fact. Every text from outside must pass through here before an operator sees it.
 */

/** Control and format characters (bidi, zero width), line separators, lone surrogates, and invisible characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Maximum number of characters of a foreign text that an operator sees. */
export const SHOWN_CHARACTERS = 300;
const LONGEST_VALUE = 4_096;

/**
 * Returns the text as one line. Control and invisible characters are escaped as in JSON, such as `\u001b`. A longer
 * text is cut and followed by its length.
 */
export function printable(text: string, longest = SHOWN_CHARACTERS): string {
  const isCut = text.length > longest;
  const shown = (isCut ? text.slice(0, longest) : text).replace(UNPRINTABLE, escaped);
  return isCut ? `${shown}… (${text.length} characters)` : shown;
}

/** Escapes a message of the program line by line, without cutting. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join("\n");
}

/** Escapes every text in a JSON value. The limit is far above the length that somebody may search for. */
export function printableValues<Value>(value: Value): Value {
  if (typeof value === "string") return printable(value, LONGEST_VALUE) as Value;
  if (Array.isArray(value)) return value.map(printableValues) as Value;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([name, one]) => [printable(name, LONGEST_VALUE), printableValues(one)]);
  return Object.fromEntries(entries) as Value;
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
