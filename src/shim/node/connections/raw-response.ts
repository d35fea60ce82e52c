import { STATUS_CODES } from "node:http";
import type { ShimResponse } from "../../respond.ts";

/** A response as bytes, for a connection without a `ServerResponse` of Node. It ends the connection. */
export function rawResponse({ status, headers, body }: ShimResponse, date: Date): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, `Date: ${date.toUTCString()}`];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1"), body ?? EMPTY]);
}

const EMPTY = Buffer.alloc(0);
