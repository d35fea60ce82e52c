/** The shim as a service on Node: listening, health, and an end that cuts nobody off. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EXIT, Failure } from "../../values/failure.ts";
import type { ShimContext } from "../context.ts";
import { healthAnswer } from "./health.ts";
import type { HearsFront } from "./hears-front.ts";
import { nodeHandler } from "./node-handler.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Epoch ms, for the publisher's age in `/readyz`; the context's own clock may stand still. */
  wallClock(): number;
  /** How far this host is ahead of the store (ms); undefined where that is not known. */
  clockSkew?(): number | undefined;
  defect(error: unknown): void;
  /** Whether a front is heard that gives this secret; absent: none is. */
  readonly hears?: HearsFront;
  /** How long requests in flight may still take once `stop` is called (ms). */
  readonly graceMs?: number;
}

export interface ShimServer {
  readonly url: string;
  readonly port: number;
  /** No new connections, requests in flight are answered, then every connection is closed. */
  stop(): Promise<void>;
}

/** Longer than a front's own pool keeps a connection (nginx: 60 s), so that none is closed under a request. */
const KEEP_ALIVE_MS = 65_000;
const GRACE_MS = 10_000;
const SWEEP_MS = 20;

/** Throws `Failure`: `port_in_use`, `port_unusable`. */
export async function startServer(context: ShimContext, options: ServerOptions): Promise<ShimServer> {
  let stopping = false;
  const handler = nodeHandler(context, {
    defect: (error) => options.defect(error),
    closing: () => stopping,
    // Health is for whoever runs the shim: what comes through a front does not see it.
    before: (request) =>
      request.front === undefined && request.unheardFront === undefined
        ? healthAnswer(request, context.store, options)
        : undefined,
    ...(options.hears === undefined ? {} : { hears: options.hears }),
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  await listen(server, options.host, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${options.host}:${port}`,
    async stop() {
      if (stopping) return;
      stopping = true;
      await close(server, options.graceMs ?? GRACE_MS);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new Failure("port_in_use", `another program listens on ${host}:${port}`, {
        exit: EXIT.failed,
        hint: "Stop it, or give another port: --port <number> or NOONMARK_PORT (0 takes any free one).",
        cause,
      });
    }
    throw new Failure("port_unusable", `cannot listen on ${host}:${port} (${code ?? String(cause)})`, {
      exit: EXIT.failed,
      hint: "Give another port: --port <number> or NOONMARK_PORT.",
      cause,
    });
  }
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  // An answer that was on its way when the stop came leaves a kept-alive connection behind.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
