/**
 * Serves a process's metrics page at a separate address (docs/spec/people.md#metrics), never cached. Without an
 * address, none of it is loaded.
 */
import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, isIPv4 } from "node:net";
import type { Registry } from "@prometheus-io/client";
import { httpUrl, listen } from "../../../src/shim/node/listen.ts";

export interface MetricsPage {
  readonly registry: Registry;
  /** Returns the state for `/healthz`; absent if another address serves it. */
  health?(): Health;
  defect(error: unknown): void;
  started?(url: string): void;
}

export interface Health {
  readonly isWell: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A scrape takes one short connection. Readers that do not read must not hold the memory of a publisher. */
const MAX_CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const LIMITS = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS };

const OTHER_PORT =
  "give another address: --metrics <host:port> or NOONMARK_METRICS. Each process (publish, serve, ingest --follow) has one of its own.";

/**
 * Serves the page that `open` creates, unless `metrics` is `none`. Returns a function that stops it. Throws `Failure`:
 * `address_unusable`.
 */
export async function startMetricsPage(
  metrics: string,
  open: () => MetricsPage | Promise<MetricsPage>,
): Promise<() => Promise<void>> {
  if (metrics === "none") return async () => {};
  const { createServer } = await import("node:http");
  const page = await open();
  const colon = metrics.lastIndexOf(":");
  const host = metrics.slice(0, colon).replace(/^\[|\]$/g, "");
  const server = createServer(LIMITS, listener(page, host));
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  await listen(server, { host, port: Number(metrics.slice(colon + 1)), otherPort: OTHER_PORT });
  page.started?.(`${httpUrl(host, (server.address() as AddressInfo).port)}/metrics`);
  return async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

function listener(page: MetricsPage, host: string): RequestListener {
  const { registry } = page;
  return ({ method, url = "/", headers }, response) => {
    if (!isAskedFor(host, headers.host)) return json(response, 421, { error: "misdirected_request" });
    if (method !== "GET" && method !== "HEAD") return json(response, 405, { error: "method_not_allowed" });
    const path = url.split("?", 1)[0];
    const health = path === "/healthz" ? page.health?.() : undefined;
    if (health !== undefined) return json(response, health.isWell ? 200 : 503, health.body);
    if (path !== "/metrics") return json(response, 404, { error: "not_found" });
    registry.metrics().then(
      (metrics) => send(response, 200, registry.contentType, metrics),
      (error: unknown) => {
        page.defect(error);
        json(response, 500, { error: "internal_error" });
      },
    );
  };
}

/**
 * True if the Host field is acceptable. A loopback address requires a loopback Host: otherwise a website could point
 * its name at this host and read the responses. Other addresses accept any name.
 */
function isAskedFor(bound: string, field: string | undefined): boolean {
  return !isLoopback(bound) || isLoopback(hostnameOf(field));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Returns the Host field's name without the port. */
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
    // Ends pipelining.
    connection: "close",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  // Node omits the body for HEAD.
  response.end(text);
}
