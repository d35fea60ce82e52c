/** Requests over kept-alive connections, one in flight on each: as lean as the servers it measures. */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds that 99 of 100 answers took at most. */
  readonly p99: number;
}

/** Asks for one path as fast as the answers come. All answers must be of one length, and 200. */
export async function httpLoad(port: number, path: string, connections: number, milliseconds: number): Promise<Load> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  const started = performance.now();
  const until = started + milliseconds;
  const lists = await Promise.all(Array.from({ length: connections }, () => askUntil(port, request, until)));
  const seconds = (performance.now() - started) / 1000;
  const times = lists.flat().sort((a, b) => a - b);
  return { requests: times.length, seconds, p99: times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN };
}

/** Milliseconds of each answer. */
function askUntil(port: number, request: Buffer, until: number): Promise<number[]> {
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
        length ??= answerLength(chunk);
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
  if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) throw new Error(`not an answer to measure: ${head}`);
  return end + 4 + Number(length);
}
