/**
 * Foreign text for a terminal, a log or a report, such as a message of a node, a store, a deployment, a file's name or a
 * fact. Text from outside reaches an operator only through here.
 */

/**
 * Control and format characters (bidi, zero width), line ends, halves of surrogate pairs, and characters that fonts draw as
 * nothing.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters of a foreign text that an operator sees. */
export const SHOWN_CHARACTERS = 300;
const LONGEST_VALUE = 4_096;

/**
 * One line. Characters that a terminal would obey, or hide, are written as JSON escapes them: `\u001b`. A longer text is cut,
 * and says so.
 */
export function printable(text: string, longest = SHOWN_CHARACTERS): string {
  const isCut = text.length > longest;
  const shown = (isCut ? text.slice(0, longest) : text).replace(UNPRINTABLE, escaped);
  return isCut ? `${shown}… (${text.length} characters)` : shown;
}

/** A message of the program, which may have several lines: each is printable, and none is cut. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join("\n");
}

/** Every text in a value of JSON, printable, and cut only far above the length that somebody may search for. */
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
