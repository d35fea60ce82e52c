/** A server on 127.0.0.1 whose raw responses the test writes, including malformed ones. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { localServer } from "../../support/local-server.ts";

export interface MisbehavingServer {
  readonly base: string;
  readonly requests: IncomingMessage[];
}

export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** `handler` receives the number of the request, from 1. */
export async function misbehavingServer(handler: Handler): Promise<MisbehavingServer> {
  const requests: IncomingMessage[] = [];
  const { url: base, stop } = await localServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  onTestFinished(stop);
  return { base, requests };
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
