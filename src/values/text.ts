/** Trims texts by index, because the time of an expression such as `/0+$/` grows with the square of the input. */

/** Returns the text without spaces and tabs at both ends. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

/** Returns the text without a character, such as `/` or `0`, at its end, however often it is repeated. */
export function withoutLast(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Returns the members of a comma-separated header field, trimmed. An empty field has one member, "". */
export function listMembers(field: string): string[] {
  return field.split(",").map(withoutBlanks);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
