/** Requests over kept-alive connections, one in flight on each: as lean as the servers it measures. */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds within which 99 of 100 responses came. */
  readonly p99: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly milliseconds: number;
  /** A known tag: the responses must then be 304. */
  readonly ifNoneMatch?: string;
}

/** Requests one path as fast as the responses come. All responses must have one length, and be 200 (or 304). */
export async function httpLoad({ port, path, connections, milliseconds, ifNoneMatch }: LoadOptions): Promise<Load> {
  const condition = ifNoneMatch === undefined ? "" : `If-None-Match: ${ifNoneMatch}\r\n`;
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${condition}\r\n`);
  const lengthOf = ifNoneMatch === undefined ? answerLength : notModifiedLength;
  const started = performance.now();
  const until = started + milliseconds;
  const lists = await Promise.all(
    Array.from({ length: connections }, () => askUntil({ port, request, until, lengthOf })),
  );
  const seconds = (performance.now() - started) / 1000;
  const times = lists.flat().sort((a, b) => a - b);
  return { requests: times.length, seconds, p99: times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN };
}

interface Asking {
  readonly port: number;
  readonly request: Buffer;
  readonly until: number;
  /** Length of a whole response, by its first bytes. */
  lengthOf(first: Buffer): number;
}

/** Milliseconds of each response. */
function askUntil({ port, request, until, lengthOf }: Asking): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1");
    socket.setNoDelay();
    let length: number | undefined;
    let received = 0;
    let asked = 0;
    const times: number[] = [];
    const ask = () => {
      asked = performance.now();
      socket.write(request);
    };
    socket.on("error", reject);
    socket.on("connect", ask);
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
      times.push(now - asked);
      if (now < until) ask();
      else {
        socket.destroy();
        resolve(times);
      }
    });
  });
}

function answerLength(first: Buffer): number {
  const end = first.indexOf("\r\n\r\n");
  const head = first.toString("latin1", 0, end);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) throw new Error(`not a response to measure: ${head}`);
  return end + 4 + Number(length);
}

function notModifiedLength(first: Buffer): number {
  const head = first.toString("latin1");
  if (!head.startsWith("HTTP/1.1 304 ")) throw new Error(`not a response to measure: ${head}`);
  return head.indexOf("\r\n\r\n") + 4;
}
