/** The shim as a service on Node: it listens, reports its health, and ends without cutting anybody off. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ShimContext } from "../context.ts";
import { healthResponse } from "./health.ts";
import { MAX_HEAD_BYTES, MAX_WAITING_REQUESTS, SERVER_LIMITS, type ServerLimits } from "./limits.ts";
import { httpUrl, listen } from "./listen.ts";
import { nodeHandler } from "./node-handler.ts";

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
  /** Absent: `SERVER_LIMITS`. */
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

/** Throws `Failure`: `address_unusable`. */
export async function startServer(context: ShimContext, options: ServerOptions): Promise<ShimServer> {
  let stopping = false;
  const limits = options.limits ?? SERVER_LIMITS;
  const connections = new Connections();
  const handler = nodeHandler(context, {
    defect: (error) => options.defect(error),
    closing: () => stopping,
    before: (request) => healthResponse(request, context, options),
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
  /** Requests whose turn has come. The last one may have no response yet. */
  inTurn: number;
  /** Pipelined requests whose turn has not come. */
  waiting: number;
  /** `inTurn` at the last look, and how many looks have found it unchanged and bytes unread. */
  seen: number;
  unread: number;
}

/** Closes connections whose requests or responses pile up. Everything else is left to Node's own limits. */
class Connections {
  readonly #open = new Map<Socket, Connection>();

  get open(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.set(socket, { inTurn: 0, waiting: 0, seen: 0, unread: 0 });
    socket.on("close", () => this.#open.delete(socket));
  }

  /** Calls `handle` in the order of a connection's requests, so that no response is composed that nobody takes. */
  takeOn({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const connection = this.#open.get(socket);
    // Node parses a chunk of requests to its end, even after their connection was closed.
    if (connection === undefined || socket.destroyed) return;
    if (response.socket !== null) {
      connection.inTurn += 1;
      handle();
    } else if (connection.waiting === MAX_WAITING_REQUESTS) socket.destroy();
    else {
      connection.waiting += 1;
      response.once("socket", () => {
        connection.waiting -= 1;
        connection.inTurn += 1;
        handle();
      });
    }
  }

  /**
   * Closes a connection that has taken no whole response for `readerTimeout` and has bytes to take. It is called each
   * `CHECK_MS` and counts its calls, because a process that was suspended has not given its readers that time.
   */
  closeUnread(readerTimeout: number): void {
    for (const [socket, connection] of this.#open) {
      if (connection.seen !== connection.inTurn || socket.writableLength === 0) {
        connection.seen = connection.inTurn;
        connection.unread = 0;
      } else {
        connection.unread += 1;
        if (connection.unread * CHECK_MS >= readerTimeout) socket.destroy();
      }
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
    .on("request", (incoming, response) => connections.takeOn(incoming, response, () => handler(incoming, response)))
    .on("connect", (incoming, socket) => respondToConnect(incoming, socket as Socket, handler));
}

/** Node hands over the bare socket, which ends with the response. */
function respondToConnect(incoming: IncomingMessage, socket: Socket, handler: RequestListener): void {
  socket.on("error", () => socket.destroy());
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.on("finish", () => socket.destroySoon());
  try {
    response.assignSocket(socket);
  } catch {
    // An earlier request of the connection has no response yet.
    socket.destroy();
    return;
  }
  handler(incoming, response);
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
