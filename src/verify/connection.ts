/**
 * Connects to a deployment at a limited rate. Sends requests exactly as written: `fetch` would normalise targets,
 * decompress, add headers and join header lines.
 */

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { withoutLast } from "../values/text.ts";
import { systemCode } from "../values/unknown.ts";
import { ClosedConnection, CutOff, NoResponse, type Reply, type Sent, TooLarge, type Transport } from "./exchange.ts";
import type { Environment } from "./run.ts";

export interface Connection {
  readonly environment: Environment;
  close(): void;
}

export interface ConnectionLimits {
  /** Time limit (ms) of each request. */
  readonly timeout: number;
  /** The maximum number of requests per second. */
  readonly qps: number;
  /** Cuts the run off. */
  readonly end: AbortSignal;
}

/** Unknown paths contain `who`. */
export function connectTo(base: URL, { timeout, qps, end }: ConnectionLimits, who: string): Connection {
  const transport = nodeTransport(base, { timeout, now: Date.now, end });
  const pause = (milliseconds: number) =>
    wait(milliseconds, undefined, { signal: end }).catch(() => {
      throw cutOff(end);
    });
  const environment = {
    send: paced(transport.send, qps, { monotonic: () => performance.now(), pause }),
    now: Date.now,
    pause,
    unique: () => `${who}${crypto.randomUUID().replaceAll("-", "")}`,
  };
  return { environment, close: () => transport.close() };
}

export interface PaceClock {
  /** A monotonic clock (ms). */
  monotonic(): number;
  pause(milliseconds: number): Promise<void>;
}

/** Each keep-alive connection (MAX_SOCKETS) may have been closed and cost one attempt. */
const MAX_TRIES = 20;

/** Starts each request at least 1/qps seconds after the previous one. */
export function paced(send: Transport, qps: number, clock: PaceClock): Transport {
  const apart = 1000 / qps;
  let last = Number.NEGATIVE_INFINITY;
  let turn = Promise.resolve();
  // Only one request waits at a time. If each computed its own instant, a late timer would release several at once.
  const wait = async () => {
    for (let left = last + apart - clock.monotonic(); left > 0; left = last + apart - clock.monotonic()) {
      // A timer may fire early by a fraction of a millisecond.
      await clock.pause(Math.ceil(left));
    }
    last = clock.monotonic();
  };
  return async (sent) => {
    for (let tries = 1; ; tries++) {
      turn = turn.then(wait);
      await turn;
      try {
        return await send(sent);
      } catch (error) {
        if (!(error instanceof ClosedConnection) || tries === MAX_TRIES) throw error;
      }
    }
  };
}

export interface NodeTransport {
  readonly send: Transport;
  close(): void;
}

export interface NodeTransportOptions {
  /** Time limit (ms) for a whole exchange. */
  readonly timeout: number;
  /** Epoch ms. */
  now(): number;
  /** Rejects every request with `CutOff` once it is aborted. */
  readonly end?: AbortSignal;
}

/** Limit for a body's bytes, both as sent and decompressed. The largest response, openapi.json, has half of it. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Limit for a body's values. Parsed, a small value takes many times its bytes. */
const MAX_VALUES = 100_000;
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
      const { end, timeout } = options;
      const limit = AbortSignal.timeout(timeout);
      const signal = end === undefined ? limit : AbortSignal.any([limit, end]);
      const fail = (error: Error) => {
        if (end?.aborted === true) reject(cutOff(end));
        else reject(error instanceof NoResponse ? error : new NoResponse(messageOf(error, timeout), { cause: error }));
      };
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

/** Percent-encodes characters beyond ASCII. A target may contain a deployment's names, such as an asset or a cursor. */
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
  const body = decoded(wire, encoding);
  if (hasTooManyValues(body)) throw new TooLarge(`the body has more than ${MAX_VALUES} values`);
  return {
    status: response.statusCode ?? 0,
    headers,
    body,
    wireLength: wire.length,
    at,
  };
}

/** Returns the bytes as sent if they cannot be decoded. A rule then reports that they are not JSON. */
function decoded(wire: Buffer, encoding: string | undefined): Uint8Array {
  const decode = encoding === undefined ? undefined : DECODERS[encoding];
  if (decode === undefined || wire.length === 0) return wire;
  try {
    return decode(wire);
  } catch (error) {
    if (systemCode(error) !== "ERR_BUFFER_TOO_LARGE") return wire;
    throw new TooLarge(`${wire.length} bytes of ${encoding} decompress to more than ${MAX_BODY_BYTES}`);
  }
}

/** Counts what begins or separates values in JSON, also within texts. */
function hasTooManyValues(body: Uint8Array): boolean {
  let values = 0;
  for (const byte of body) if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values++;
  return values > MAX_VALUES;
}

const [COMMA, OPEN_LIST, OPEN_OBJECT] = Buffer.from(",[{");

/** Returns why the run ends, after `end` was aborted. */
export function cutOff(end: AbortSignal): CutOff {
  return new CutOff(end.reason instanceof Error ? "its time is over" : String(end.reason));
}

function messageOf(error: Error & { code?: string }, timeout: number): string {
  if (error.name === "AbortError" || error.name === "TimeoutError") return `no response within ${timeout / 1000} s`;
  return error.code ?? error.message;
}
