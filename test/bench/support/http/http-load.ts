/**
 * A minimal HTTP load generator: keep-alive connections with one request in flight each. It must not cost more than the
 * servers it measures.
 */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** 99th percentile of the response times, ms. */
  readonly p99: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly milliseconds: number;
  /** A known ETag. If set, all responses must be 304. */
  readonly ifNoneMatch?: string;
}

/**
 * Requests one path as fast as responses arrive. All responses must have the same length and be 200 (304 with
 * `ifNoneMatch`).
 */
export async function httpLoad({ port, path, connections, milliseconds, ifNoneMatch }: LoadOptions): Promise<Load> {
  const condition = ifNoneMatch === undefined ? "" : `If-None-Match: ${ifNoneMatch}\r\n`;
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${condition}\r\n`);
  const lengthOf = ifNoneMatch === undefined ? responseLength : notModifiedLength;
  const started = performance.now();
  const until = started + milliseconds;
  const lists = await Promise.all(
    Array.from({ length: connections }, () => requestUntil({ port, request, until, lengthOf })),
  );
  const seconds = (performance.now() - started) / 1000;
  const times = lists.flat().sort((a, b) => a - b);
  return { requests: times.length, seconds, p99: times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN };
}

interface Connection {
  readonly port: number;
  readonly request: Buffer;
  readonly until: number;
  /** Length of the whole response, computed from its first bytes. */
  lengthOf(first: Buffer): number;
}

/** Response times on one connection, ms. */
function requestUntil({ port, request, until, lengthOf }: Connection): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1");
    socket.setNoDelay();
    let length: number | undefined;
    let received = 0;
    let sentAt = 0;
    const times: number[] = [];
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("error", reject);
    socket.on("connect", send);
    socket.on("data", (chunk: Buffer) => {
      try {
        length ??= lengthOf(chunk);
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      received += chunk.length;
      if (received < length) return;
      received = 0;
      const now = performance.now();
      times.push(now - sentAt);
      if (now < until) send();
      else {
        socket.destroy();
        resolve(times);
      }
    });
  });
}

function responseLength(first: Buffer): number {
  const end = first.indexOf("\r\n\r\n");
  const head = first.toString("latin1", 0, end);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) throw new Error(`unexpected response: ${head}`);
  return end + 4 + Number(length);
}

function notModifiedLength(first: Buffer): number {
  const head = first.toString("latin1");
  if (!head.startsWith("HTTP/1.1 304 ")) throw new Error(`unexpected response: ${head}`);
  return head.indexOf("\r\n\r\n") + 4;
}
