/** The shim as a service on Node: it listens, reports its health, and ends without cutting anybody off. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ShimContext } from "../context.ts";
import { healthResponse } from "./health.ts";
import { DEFAULT_LIMITS, MAX_HEAD_BYTES, MAX_PENDING_REQUESTS, type ServerLimits } from "./limits.ts";
import { httpUrl, listen } from "./listen.ts";
import { nodeHandler, type TrustsFront } from "./node-handler.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** True if other processes may listen on the port, too. */
  readonly reusePort?: boolean;
  /** How to set another port, for the hint. */
  readonly otherPort?: string;
  /** Epoch ms, for the publisher's age in `/readyz`; the context's own clock may be fixed. */
  wallClock(): number;
  /** How far this host is ahead of the store (ms); undefined if unknown. */
  clockSkew?(): number | undefined;
  defect(error: unknown): void;
  /** True if a front with this secret is trusted; absent: none is. */
  readonly trusts?: TrustsFront;
  /** Absent: `DEFAULT_LIMITS`. */
  readonly limits?: ServerLimits;
  /** Called for each connection that Node closed because too many are open. */
  crowded?(): void;
  /** How long requests in flight may still take once `stop` is called (ms). */
  readonly graceMs?: number;
}

export interface ShimServer {
  readonly url: string;
  readonly port: number;
  readonly connections: Pick<Connections, "open">;
  /** Accepts no new connections, serves the requests in flight, then closes every connection. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
const CLOSE_CHECK_MS = 20;
/** How often Node checks its limits, and the shim its readers (ms). */
const CHECK_MS = 1_000;

/** Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`. */
export async function startServer(context: ShimContext, options: ServerOptions): Promise<ShimServer> {
  let stopping = false;
  const limits = options.limits ?? DEFAULT_LIMITS;
  const connections = new Connections();
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
  const server = httpServer(limits, connections, handler).on("drop", () => options.crowded?.());
  const { host, port: wanted, otherPort, reusePort = false } = options;
  await listen(server, { host, port: wanted, reusePort, otherPort });
  const timer = setInterval(() => connections.closeUnread(limits.readerTimeout), CHECK_MS).unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: httpUrl(host, port),
    connections,
    async stop() {
      if (stopping) return;
      stopping = true;
      await close(server, options.graceMs ?? GRACE_MS);
      clearInterval(timer);
    },
  };
}

interface Connection {
  /** Requests without a complete response. */
  pending: number;
  /** The monotonic instant (ms) at which the reader last took a whole response, or owed none. */
  tookAt: number;
}

/** Closes connections whose requests or responses pile up. Everything else is left to Node's own limits. */
class Connections {
  readonly #open = new Map<Socket, Connection>();

  get open(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.set(socket, { pending: 0, tookAt: 0 });
    socket.on("close", () => this.#open.delete(socket));
  }

  /** Counts a request until its response has left. Returns false if the connection was closed instead. */
  takeOn({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || socket.destroyed) return false;
    if (connection.pending === 0) connection.tookAt = performance.now();
    else if (connection.pending === MAX_PENDING_REQUESTS) {
      socket.destroy();
      return false;
    }
    connection.pending += 1;
    response.on("close", () => {
      connection.pending -= 1;
      connection.tookAt = performance.now();
    });
    return true;
  }

  /** Closes the connections that owe a reader nothing but bytes it does not take. */
  closeUnread(readerTimeout: number): void {
    const before = performance.now() - readerTimeout;
    for (const [socket, { pending, tookAt }] of this.#open) {
      if (pending > 0 && tookAt <= before && socket.writableLength > 0) socket.destroy();
    }
  }
}

function httpServer(limits: ServerLimits, connections: Connections, handler: RequestListener): Server {
  const server = createServer({
    requestTimeout: limits.requestTimeout,
    headersTimeout: limits.requestTimeout,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: limits.keepAliveTimeout,
    maxHeaderSize: MAX_HEAD_BYTES,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  });
  server.maxConnections = limits.maxConnections;
  // Node silently drops fields beyond its own limit.
  server.maxHeadersCount = 0;
  return server
    .on("connection", (socket) => connections.add(socket))
    .on("request", (incoming, response) => {
      if (!connections.takeOn(incoming, response)) return;
      // A pipelined request waits, so that no response is composed that its reader may never take.
      if (response.socket === null) response.once("socket", () => handler(incoming, response));
      else handler(incoming, response);
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
