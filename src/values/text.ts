/** Functions that cut the ends of texts by index: the time of an expression such as `/0+$/` grows with the square of the input. */

/** A text without the blanks (space, tab) at both ends. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

/** A text without a character, such as `/` or `0`, at its end, however often it is repeated there. */
export function withoutLast(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** The members of a comma-separated header field, without blanks around them. A field that is "" has the member "". */
export function listMembers(field: string): string[] {
  return field.split(",").map(withoutBlanks);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
