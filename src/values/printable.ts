/**
 * Foreign text for a terminal, a log or a report: what a node, a store, a deployment, a file's name or a fact says. No
 * text from outside reaches an operator on another way.
 */

/** Control and format characters (bidi, zero width), line ends, halves of surrogate pairs, and what fonts draw as nothing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters of a foreign text that an operator is shown. */
export const SHOWN_CHARACTERS = 300;
const LONGEST_VALUE = 4_096;

/** One line. What a terminal would obey, or hide, is written as JSON escapes it: `\u001b`. A longer text is cut, and says so. */
export function printable(text: string, longest = SHOWN_CHARACTERS): string {
  const isCut = text.length > longest;
  const shown = (isCut ? text.slice(0, longest) : text).replace(UNPRINTABLE, escaped);
  return isCut ? `${shown}… (${text.length} characters)` : shown;
}

/** A message of ours, which may have several lines: each is printable, and none is cut. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join("\n");
}

/** Every text in a value of JSON, printable and cut far above what one may have that is to be found again by. */
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
