/**
 * Posts JSON and checks the raw response before parsing, because parsed objects take many times the memory of their
 * text.
 */

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Buffer;
}

/**
 * Posts a value. Returns undefined if the response has more than `maxBytes` when decompressed. Throws errors of fetch
 * and the signal's reason. Redirects are not followed, because they could lead anywhere.
 */
export async function postJson(
  address: string,
  value: unknown,
  signal: AbortSignal,
  maxBytes: number,
): Promise<PostResponse | undefined> {
  const url = new URL(address);
  const headers: Record<string, string> = { "content-type": "application/json" };
  // fetch refuses credentials in a URL.
  if (url.username !== "" || url.password !== "") {
    const credentials = decodeURIComponent(`${url.username}:${url.password}`);
    headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    url.username = "";
    url.password = "";
  }
  const init = { method: "POST", headers, body: JSON.stringify(value), signal, redirect: "manual" } as const;
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Returning out of the loop cancels the rest of the body.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: Buffer.concat(chunks),
  };
}

// Counting the members and values of a JSON-RPC response in its bytes.

/** Values that every response may have, plus one value per 16 bytes: events and headers have about one per 30 bytes. */
const FREE_VALUES = 1_000;
const BYTES_FOR_A_VALUE = 16;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** Returns why a response cannot belong to this many calls; undefined if it can. */
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
      else if (depth === 1 && isList && ++members > calls) return `the response has more members than calls (${calls})`;
      if (++values > mostValues) return `the response has more than ${values - 1} values in ${body.length} bytes`;
    }
  }
  return undefined;
}

/** Returns the index of the closing quote of a string that begins at `start`, or the end of the bytes. */
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
