/**
 * Counts the members and values of a JSON-RPC response on its bytes. Parsed objects take many times the memory of their
 * text, so a response is judged before it is parsed.
 */

/** Values that every response may hold, and bytes for each value beyond: a log or a header has one value in 30 bytes. */
const FREE_VALUES = 1_000;
const BYTES_FOR_A_VALUE = 16;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** Why a response cannot be one to so many calls; undefined if it can. */
export function implausibility(body: Buffer, calls: number): string | undefined {
  const mostValues = FREE_VALUES + body.length / BYTES_FOR_A_VALUE;
  let values = 0;
  let members = 1;
  let depth = 0;
  let isList = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (depth === 0) isList = byte === OPEN_LIST;
      if (byte !== COMMA) depth++;
      else if (depth === 1 && isList && ++members > calls)
        return `the response has more members than ${calls}, the calls`;
      if (++values > mostValues) return `the response has more than ${values - 1} values in ${body.length} bytes`;
    }
  }
  return undefined;
}

/** The index at which a string that begins at `start` ends: its closing quote, or the end of the bytes. */
function endOfString(body: Buffer, start: number): number {
  let end = start;
  do {
    end = body.indexOf(QUOTE as number, end + 1);
    if (end === -1) return body.length;
  } while (isEscaped(body, end));
  return end;
}

function isEscaped(body: Buffer, quote: number): boolean {
  let at = quote - 1;
  while (body[at] === BACKSLASH) at--;
  return (quote - 1 - at) % 2 === 1;
}
