/**
 * Foreign text for a terminal, a log or a report: what a node, a store, a deployment, a file's name or a fact says. No
 * text from outside reaches an operator on another way.
 */

/** Control and format characters (bidi, zero width), line ends, halves of surrogate pairs, and what fonts draw as nothing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters of a foreign text that an operator is shown. */
export const SHOWN_CHARACTERS = 300;

/** One line. What a terminal would obey, or hide, is written as JSON escapes it: `\u001b`. A longer text is cut, and says so. */
export function printable(text: string, longest = SHOWN_CHARACTERS): string {
  const isCut = text.length > longest;
  const shown = (isCut ? text.slice(0, longest) : text).replace(UNPRINTABLE, escaped);
  return isCut ? `${shown}… (${text.length} characters)` : shown;
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
