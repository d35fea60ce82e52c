/** The shim as a service on Node: it listens, reports its health, and ends without cutting anybody off. */

import { once } from "node:events";
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ShimContext } from "../context.ts";
import type { ShimResponse } from "../respond.ts";
import { CHECK_MS, Connections } from "./connections/connections.ts";
import { DEFAULT_LIMITS, MAX_HEAD_BYTES, type ServerLimits } from "./connections/limits.ts";
import {
  isParserError,
  type ParserError,
  refusalOf,
  refusalOfError,
  WRONG_EXPECTATION,
  WRONG_METHOD,
} from "./connections/refusals.ts";
import { healthResponse } from "./health.ts";
import { httpUrl, listen } from "./listen.ts";
import { nodeHandler, send, type TrustsFront } from "./node-handler.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Epoch ms, for the publisher's age in `/readyz`; the context's own clock may be fixed. */
  wallClock(): number;
  /** How far this host is ahead of the store (ms); undefined if unknown. */
  clockSkew?(): number | undefined;
  defect(error: unknown): void;
  /** True if a front with this secret is trusted; absent: none is. */
  readonly trusts?: TrustsFront;
  /** Absent: `DEFAULT_LIMITS`. */
  readonly limits?: ServerLimits;
  /** Called for each connection that was closed because of a limit. */
  crowded?(): void;
  /** How long requests in flight may still take once `stop` is called (ms). */
  readonly graceMs?: number;
}

export interface ShimServer {
  readonly url: string;
  readonly port: number;
  /** Open connections and waiting requests. */
  readonly connections: Pick<Connections, "open" | "waiting">;
  /** Accepts no new connections, serves the requests in flight, then closes every connection. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
const OTHER_PORT = "give another port: --port <number> or NOONMARK_PORT (0 takes any free one).";
const CLOSE_CHECK_MS = 20;

/** Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`. */
export async function startServer(context: ShimContext, options: ServerOptions): Promise<ShimServer> {
  let stopping = false;
  const connections = new Connections(options.limits ?? DEFAULT_LIMITS, () => options.crowded?.());
  const handler = nodeHandler(context, {
    defect: (error) => options.defect(error),
    closing: () => stopping,
    // Health is for operators of the shim: requests through a front do not get it.
    before: (request) =>
      request.front === undefined && request.untrustedFront === undefined
        ? healthResponse(request, context, options)
        : undefined,
    ...(options.trusts === undefined ? {} : { trusts: options.trusts }),
  });
  const refused: Refused = (response) => {
    context.onResponse?.(undefined, response.status);
    return response;
  };
  const server = httpServer(options, { connections, handler, refused });
  await listen(server, { host: options.host, port: options.port, hint: OTHER_PORT });
  const timer = setInterval(() => connections.checkAll(), CHECK_MS).unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: httpUrl(options.host, port),
    connections,
    async stop() {
      if (stopping) return;
      stopping = true;
      await close(server, options.graceMs ?? GRACE_MS);
      clearInterval(timer);
    },
  };
}

/** Errors that no handler sees. */
type Refused = (response: ShimResponse) => ShimResponse;

interface Serving {
  readonly connections: Connections;
  readonly handler: RequestListener;
  readonly refused: Refused;
}

function httpServer(
  { limits = DEFAULT_LIMITS, wallClock }: ServerOptions,
  { connections, handler, refused }: Serving,
): Server {
  const { requestTimeout, keepAliveTimeout } = limits;
  const server = createServer({
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout,
    maxHeaderSize: MAX_HEAD_BYTES,
    // The shim checks this itself, so that the response is one of the API (`refusals.ts`).
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  });
  // Node silently drops fields beyond its own limit.
  server.maxHeadersCount = 0;
  const raw = (response: ShimResponse) => rawResponse(refused(response), new Date(wallClock()));
  return server
    .on("connection", (socket) => connections.admit(socket))
    .on("request", (incoming, response) => connections.inTurn(response, () => handler(incoming, response)))
    .on("checkExpectation", (incoming, response) => {
      connections.inTurn(response, () => send(response, refused(refusalOf(incoming) ?? WRONG_EXPECTATION), true));
    })
    .on("connect", (incoming, socket) => {
      // Node releases such a connection. Its further bytes are read, and its failures ignored.
      socket.on("error", () => socket.destroy()).resume();
      connections.end(socket as Socket, raw(refusalOf(incoming) ?? WRONG_METHOD));
    })
    .on("clientError", (error: ParserError, socket) => {
      // Node parses the bytes after a refusal, and reports each segment. Only the first gets a response.
      if (isParserError(error) && connections.isRefused(socket as Socket)) return;
      const refusal = refusalOfError(error);
      const isSilent = connections.isSilent(socket as Socket);
      if (refusal === undefined || isSilent) socket.destroy();
      else connections.end(socket as Socket, connections.isInBody(socket as Socket) ? undefined : raw(refusal));
    });
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  // A response that was on its way at the stop leaves a kept-alive connection behind.
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_CHECK_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(timer);
  clearTimeout(deadline);
}

/** A response as bytes, for a connection without a `ServerResponse` of Node. It ends the connection. */
function rawResponse({ status, headers, body }: ShimResponse, date: Date): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, `Date: ${date.toUTCString()}`];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1"), body ?? EMPTY]);
}

const EMPTY = Buffer.alloc(0);
