/** A proxy in front of a real server. It applies scripted faults to the next requests, then passes everything on. */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

export type Fault =
  /** A response instead of the server's. The server does not get the request. */
  | { readonly status: number; readonly code: string; readonly headers?: Readonly<Record<string, string>> }
  /** Cuts the connection before the request is passed on. */
  | "reset"
  /** Sends no response and passes nothing on. */
  | "silence"
  /** The server executes the request, and the connection is cut before its response. */
  | "lost"
  /** Like `lost`, but with a 500 instead of the response. */
  | "lost-500"
  /** The response with this body in place of its own. */
  | { readonly body: (text: string) => string }
  /** Half of the response body, then the connection is cut. */
  | "half"
  | "pass";

interface Held {
  /** Resolves when the request has arrived. */
  readonly arrived: Promise<void>;
  letGo(): void;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** The faults of the next requests, in order; then `otherwise`. */
  script(...faults: readonly Fault[]): void;
  /** The fault of requests without a scripted one; `pass` by default. */
  otherwise: Fault;
  /**
   * Holds the next `times` requests with this method and path until all are released together. With Infinity no second
   * attempt passes.
   */
  hold(request: RegExp, times?: number): Held;
  /** Method and path of every request so far. */
  readonly seen: string[];
  /** Method, path and status of every server response so far, even if no client waited for it. */
  readonly answered: string[];
  /** Headers that are added to every server response or replace its own. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds that are added to the Date of every response; null: it has none. */
  dateShiftMs: number | null;
  stop(): Promise<void>;
}

interface Hold {
  readonly request: RegExp;
  /** Requests that it will still hold. */
  times: number;
  arrive(): void;
  readonly gone: Promise<void>;
}

/** With `identity` it uses https. */
export async function startFaultProxy(
  target: string,
  identity?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<FaultProxy> {
  let faults: Fault[] = [];
  const holds: Hold[] = [];
  const upstream = new URL(target);
  const take: RequestListener = (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`;
    // A front's probe is not a reader's request. Unlike a client it names nothing but the host.
    if (incoming.rawHeaders.length === 4 && incoming.headers.connection === "close") {
      handle("pass", incoming, outgoing, undefined).catch(() => incoming.socket.destroy());
      return;
    }
    proxy.seen.push(line);
    const hold = holds.find(({ request, times }) => times > 0 && request.test(line));
    if (hold !== undefined) hold.times -= 1;
    handle(faults.shift() ?? proxy.otherwise, incoming, outgoing, hold).catch(() => incoming.socket.destroy());
  };
  const server = identity === undefined ? createServer(take) : createSecureServer(identity, take);
  const proxy: FaultProxy = {
    endpoint: "",
    otherwise: "pass",
    seen: [],
    answered: [],
    headers: {},
    dateShiftMs: 0,
    hold: (request, times = 1) => {
      const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.push({ request, times, arrive: arrived.resolve, gone: gone.promise });
      return { arrived: arrived.promise, letGo: gone.resolve };
    },
    script: (...next) => {
      faults = [...next];
    },
    stop: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, {
    endpoint: `${identity === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });

  async function handle(
    fault: Fault,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    hold: Hold | undefined,
  ): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    hold?.arrive();
    await hold?.gone;
    if (fault === "silence") return;
    if (fault === "reset") {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (typeof fault === "object" && "status" in fault) {
      outgoing.writeHead(fault.status, { "content-type": "application/xml", ...fault.headers });
      outgoing.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>scripted</Message></Error>`);
      return;
    }
    const response = await pass(incoming, body);
    const received = Buffer.concat(await response.toArray());
    proxy.answered.push(`${incoming.method} ${incoming.url} ${response.statusCode}`);
    if (fault === "lost") {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (fault === "lost-500") {
      outgoing.writeHead(500).end();
      return;
    }
    const { date: sent = "", ...others } = response.headers;
    const headers: OutgoingHttpHeaders = { ...others, ...proxy.headers };
    outgoing.sendDate = false;
    if (proxy.dateShiftMs !== null) {
      headers.date = new Date(Date.parse(sent) + proxy.dateShiftMs).toUTCString();
    }
    if (typeof fault === "object") {
      delete headers["content-length"];
      outgoing.writeHead(response.statusCode ?? 502, headers).end(fault.body(received.toString()));
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, headers);
    if (fault === "half")
      outgoing.write(received.subarray(0, received.length / 2), () => incoming.socket.resetAndDestroy());
    else outgoing.end(received);
  }

  /** Keeps the signed Host header. */
  async function pass(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { method, url, headers } = incoming;
    const sent = request({ host: upstream.hostname, port: upstream.port, method, path: url, headers, agent: false });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  }
}
