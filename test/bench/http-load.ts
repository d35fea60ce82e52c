/**
 * A minimal HTTP load generator: keep-alive connections with one request in flight each. It must not cost more than the
 * servers it measures.
 */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly requests: number;
  readonly seconds: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly milliseconds: number;
}

/** Requests one path as fast as responses arrive. All responses must be 200 and have the same length. */
export async function httpLoad({ port, path, connections, milliseconds }: LoadOptions): Promise<Load> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  const started = performance.now();
  const until = started + milliseconds;
  const counts = await Promise.all(Array.from({ length: connections }, () => requestUntil({ port, request, until })));
  const seconds = (performance.now() - started) / 1000;
  return { requests: counts.reduce((sum, count) => sum + count, 0), seconds };
}

interface Connection {
  readonly port: number;
  readonly request: Buffer;
  readonly until: number;
}

/** The number of responses on one connection. */
function requestUntil({ port, request, until }: Connection): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1");
    socket.setNoDelay();
    let length: number | undefined;
    let received = 0;
    let responses = 0;
    const send = () => socket.write(request);
    socket.on("error", reject);
    socket.on("connect", send);
    socket.on("data", (chunk: Buffer) => {
      try {
        length ??= responseLength(chunk);
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      received += chunk.length;
      if (received < length) return;
      received = 0;
      responses++;
      if (performance.now() < until) send();
      else {
        socket.destroy();
        resolve(responses);
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
