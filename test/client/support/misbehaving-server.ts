/** A server on 127.0.0.1 whose responses a test writes, including malformed ones. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface MisbehavingServer {
  readonly base: string;
  readonly requests: IncomingMessage[];
}

export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** `handler` gets the number of the request, from 1 on. */
export async function misbehavingServer(handler: Handler): Promise<MisbehavingServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function json(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

export function text(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers);
  response.end(body);
}
