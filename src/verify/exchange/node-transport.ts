/**
 * Requests as they are written: `fetch` would normalise targets, decompress, add headers of its own and join lines.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { ClosedConnection, type Reply, type Sent, TooLarge, type Transport, Unanswered } from "../../judge/exchange.ts";
import { withoutLast } from "../../values/text.ts";

export interface NodeTransport {
  readonly send: Transport;
  close(): void;
}

export interface NodeTransportOptions {
  /** Milliseconds for a whole exchange. */
  readonly timeout: number;
  /** Epoch ms. */
  now(): number;
}

/** Bytes of a body, on the wire and decompressed. No response of the API comes near it. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_SOCKETS = 16;

const LIMIT = { maxOutputLength: MAX_BODY_BYTES };
const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: (body) => gunzipSync(body, LIMIT),
  br: (body) => brotliDecompressSync(body, LIMIT),
  deflate: (body) => inflateSync(body, LIMIT),
};

export function nodeTransport(base: URL, options: NodeTransportOptions): NodeTransport {
  const secure = base.protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const prefix = withoutLast(base.pathname, "/");
  const begin = secure ? httpsRequest : httpRequest;
  const send = ({ method, target, headers }: Sent): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(options.timeout);
      const fail = (error: Error) =>
        reject(error instanceof Unanswered ? error : new Unanswered(wordsOf(error, options.timeout), { cause: error }));
      const request = begin(
        {
          agent,
          signal,
          method,
          headers,
          hostname: base.hostname.replace(/^\[|\]$/g, ""),
          port: base.port,
          path: prefix + encodedTarget(target),
        },
        (response) => {
          const at = options.now();
          bodyOf(response)
            .then((wire) => resolve(replyOf(response, wire, at)))
            .catch(fail);
        },
      );
      request.on("error", (error: Error & { code?: string }) => {
        const isClosed = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        if (isClosed) reject(new ClosedConnection(error.code, { cause: error }));
        else fail(error);
      });
      request.end();
    });
  return { send, close: () => agent.destroy() };
}

/** A target may hold what a deployment has named: an asset, a cursor, an id. All other characters are percent-encoded. */
function encodedTarget(target: string): string {
  return target.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new TooLarge(`the body has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function replyOf(response: IncomingMessage, wire: Buffer, at: number): Reply {
  const headers = new Map<string, string[]>();
  const { rawHeaders } = response;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const lines = headers.get(name) ?? [];
    lines.push((rawHeaders[index + 1] ?? "").trim());
    headers.set(name, lines);
  }
  const encoding = headers.get("content-encoding")?.join(", ").toLowerCase();
  return {
    status: response.statusCode ?? 0,
    headers,
    body: decoded(wire, encoding),
    wireLength: wire.length,
    at,
  };
}

/** As it came where it does not decode: then it is no JSON, which is said of it. */
function decoded(wire: Buffer, encoding: string | undefined): Uint8Array {
  const decode = encoding === undefined ? undefined : DECODERS[encoding];
  if (decode === undefined || wire.length === 0) return wire;
  try {
    return decode(wire);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") return wire;
    throw new TooLarge(`${wire.length} bytes of ${encoding} decompress to more than ${MAX_BODY_BYTES}`);
  }
}

function wordsOf(error: Error & { code?: string }, timeout: number): string {
  if (error.name === "AbortError" || error.name === "TimeoutError") return `no response within ${timeout / 1000} s`;
  return error.code ?? error.message;
}
