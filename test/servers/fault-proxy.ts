/** A proxy in front of a real server that does what a script says with the next requests, then passes all on. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

export type Fault =
  /** A response in the server's place, which never gets the request. */
  | { readonly status: number; readonly code: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is cut before the request is passed on. */
  | "reset"
  /** Sends no response and passes nothing on. */
  | "silence"
  /** The server carries out the request, and the connection is cut before its response. */
  | "lost"
  /** As `lost`, with a 500 in place of the response. */
  | "lost-500"
  /** Half of the response's body, then the connection is cut. */
  | "half"
  | "pass";

export interface Held {
  /** The request is here. */
  readonly arrived: Promise<void>;
  letGo(): void;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** The faults of the next requests, in order; then `otherwise`. */
  script(...faults: readonly Fault[]): void;
  /** The fault of a request that the script has none for: by default `pass`. */
  otherwise: Fault;
  /** The next request whose method and path match is kept back, and passed on only once it is let go. */
  hold(request: RegExp): Held;
  /** Method and path of every request so far. */
  readonly seen: string[];
  /** Method, path and status of every response of the server's so far, whether or not anybody waited for it. */
  readonly answered: string[];
  /** Added to every response of the server's, or in place of its own. */
  headers: Readonly<Record<string, string>>;
  /** Added to the Date of every response, ms. */
  dateShiftMs: number;
  stop(): Promise<void>;
}

interface Hold {
  readonly request: RegExp;
  arrive(): void;
  readonly gone: Promise<void>;
}

/** With `identity` it speaks https. */
export async function startFaultProxy(
  target: string,
  identity?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<FaultProxy> {
  let faults: Fault[] = [];
  const holds: Hold[] = [];
  const upstream = new URL(target);
  const take: RequestListener = (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`;
    proxy.seen.push(line);
    const held = holds.findIndex(({ request }) => request.test(line));
    const [hold] = held < 0 ? [] : holds.splice(held, 1);
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
    hold: (request) => {
      const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.push({ request, arrive: arrived.resolve, gone: gone.promise });
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
    if (typeof fault === "object") {
      outgoing.writeHead(fault.status, { "content-type": "application/xml", ...fault.headers });
      outgoing.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>scripted</Message></Error>`);
      return;
    }
    const answer = await pass(incoming, body);
    const received = Buffer.concat(await answer.toArray());
    proxy.answered.push(`${incoming.method} ${incoming.url} ${answer.statusCode}`);
    if (fault === "lost") {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (fault === "lost-500") {
      outgoing.writeHead(500).end();
      return;
    }
    const date = new Date(Date.parse(answer.headers.date ?? "") + proxy.dateShiftMs).toUTCString();
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...proxy.headers, date });
    if (fault === "half")
      outgoing.write(received.subarray(0, received.length / 2), () => incoming.socket.resetAndDestroy());
    else outgoing.end(received);
  }

  /** The server sees the host name that was signed. */
  async function pass(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { method, url, headers } = incoming;
    const sent = request({ host: upstream.hostname, port: upstream.port, method, path: url, headers, agent: false });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  }
}
