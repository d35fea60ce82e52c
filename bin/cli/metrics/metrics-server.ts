/** The metrics page of a process, on an address of its own (docs/spec/people.md#metrics); never cached. */
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isIPv4 } from "node:net";
import { httpUrl, listen } from "../../../src/shim/node/listen.ts";

export interface MetricsAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export interface MetricsPages {
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  readonly contentType: string;
  /** For `/healthz`; absent if another address serves it. */
  health?(): Health;
  defect(error: unknown): void;
}

export interface Health {
  readonly isWell: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

const HINT =
  "give another address: --metrics <host:port> or NOONMARK_METRICS. Each process (publish, serve, ingest --follow) has one of its own.";

/** Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`. */
export async function startMetricsServer(address: MetricsAddress, pages: MetricsPages): Promise<MetricsServer> {
  const server = createServer(listener(pages, address.host));
  await listen(server, { ...address, hint: HINT });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${httpUrl(address.host, port)}/metrics`,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listener(pages: MetricsPages, host: string): RequestListener {
  return ({ method, url = "/", headers }, response) => {
    if (!isAskedFor(host, headers.host)) return json(response, 421, { error: "misdirected_request" });
    if (method !== "GET" && method !== "HEAD") return json(response, 405, { error: "method_not_allowed" });
    const path = url.split("?", 1)[0];
    if (path === "/healthz" && pages.health !== undefined) {
      const { isWell, body } = pages.health();
      return json(response, isWell ? 200 : 503, body);
    }
    if (path !== "/metrics") return json(response, 404, { error: "not_found" });
    pages.metrics().then(
      (text) => send(response, 200, pages.contentType, text),
      (error: unknown) => {
        pages.defect(error);
        json(response, 500, { error: "internal_error" });
      },
    );
  };
}

/**
 * A web page can point its own name to this machine and read the responses. On a loopback address Host must therefore name that
 * address. Elsewhere every name may be this machine's.
 */
export function isAskedFor(bound: string, field: string | undefined): boolean {
  return !isLoopback(bound) || isLoopback(hostnameOf(field));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Without the port. */
function hostnameOf(field = ""): string {
  return URL.parse(`http://${field}`)?.hostname ?? "";
}

function json(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  send(response, status, "application/json; charset=utf-8", `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  // Node sends no body for HEAD.
  response.end(text);
}
