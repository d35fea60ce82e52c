/**
 * One POST of JSON to an address. Gives the bytes of the response, so that they can be judged before they are parsed.
 * docs/dependencies.md#viem says why this is not viem's client.
 */

export interface PostLimits {
  readonly signal: AbortSignal;
  /** Bytes of the response, decompressed. */
  readonly maxBytes: number;
}

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Buffer;
}

export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/** An address without user and password, and the header for them: fetch refuses both in a URL. */
export interface PostTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function postTarget(address: string): PostTarget {
  const url = new URL(address);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    url.username = "";
    url.password = "";
  }
  return { url: url.href, headers };
}

/** Throws what fetch throws, the signal's reason, and `ResponseTooLarge`. A redirect is an error: it could lead anywhere. */
export async function postJson(target: PostTarget, body: unknown, limits: PostLimits): Promise<PostResponse> {
  const { signal, maxBytes } = limits;
  const { url, headers } = target;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal, redirect: "error" });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: await boundedBody(response, maxBytes),
  };
}

async function boundedBody(response: Response, maxBytes: number): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (bytes > maxBytes) throw new ResponseTooLarge(`the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
