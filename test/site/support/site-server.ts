/** Serves the built page with its headers, in front of an API server, for manual use and for tests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { buildSite, type SiteFile } from "../../../site/build.ts";
import { HTML_HEADERS } from "../../../src/http/route.ts";
import { localServer } from "../../support/local-server.ts";

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `target` is path and query below the subpath. Returning undefined cuts the connection. */
export type Api = (
  target: string,
  request: IncomingMessage,
) => Promise<ApiResponse | undefined> | ApiResponse | undefined;

export interface SiteServer {
  /** With a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface SiteServerOptions {
  readonly port?: number;
  /** The page's path: "/" or "/some/where/". */
  readonly subpath?: string;
}

/** The built files, compressed, by path. They are the same for every server. */
let built: Promise<ReadonlyMap<string, SiteFile>> | undefined;

async function compressedFiles(): Promise<ReadonlyMap<string, SiteFile>> {
  const files = await buildSite();
  return new Map(files.map((file) => [file.path, { ...file, bytes: gzipSync(file.bytes, { level: 9 }) }]));
}

/** Binds to 127.0.0.1. */
export async function startSite(api: Api, { port = 0, subpath = "/" }: SiteServerOptions = {}): Promise<SiteServer> {
  built ??= compressedFiles();
  const files = await built;
  const { url, stop } = await localServer((request, response) => {
    const target = request.url ?? "/";
    const below = target.startsWith(subpath) ? target.slice(subpath.length) : undefined;
    const file = below === undefined ? undefined : files.get(below === "" ? "index.html" : below);
    if (file !== undefined) sendFile(response, file);
    else void sendResponse(response, below === undefined ? notFound() : api(`/${below}`, request));
  }, port);
  return { url: `${url}${subpath}`, stop };
}

function notFound(): ApiResponse {
  return { status: 404, headers: { "content-type": "application/json" }, body: '{"error":"not_found"}' };
}

function sendFile(response: ServerResponse, { path, contentType, bytes }: SiteFile): void {
  response.writeHead(200, {
    "content-type": contentType,
    "content-encoding": "gzip",
    "x-content-type-options": "nosniff",
    "cache-control": path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    ...(path === "index.html" ? HTML_HEADERS : {}),
  });
  response.end(bytes);
}

async function sendResponse(response: ServerResponse, answering: ReturnType<Api>): Promise<void> {
  const answer = await answering;
  if (answer === undefined) {
    response.destroy();
    return;
  }
  const { status, headers, body } = answer;
  response.writeHead(status, headers);
  response.end(body);
}
