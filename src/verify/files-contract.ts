/** The files that a deployment may have beside the routes: how each is answered, by its row, and what its body shows. */
import { HTML_HEADERS } from "../http/files.ts";
import { FILES as ROWS } from "../resources/table.ts";

export interface FileContract {
  readonly path: string;
  readonly type: string;
  readonly cacheControl: string;
  /** Whether it has an ETag. */
  readonly tag: boolean;
  readonly html: boolean;
  /** What the body lacks; undefined for a good one. */
  fault(text: string, json: unknown): string | undefined;
}

type Fault = FileContract["fault"];

const page: Fault = (text) => (/^\s*<!doctype html>/i.test(text) ? undefined : "<!doctype html>");
const members =
  (...names: readonly string[]): Fault =>
  (_, json) => {
    const missing = names.filter((name) => (json as Record<string, unknown> | undefined)?.[name] === undefined);
    return missing.length === 0 ? undefined : missing.join(", ");
  };
const shows =
  (pattern: RegExp, what: string): Fault =>
  (text) =>
    pattern.test(text) ? undefined : what;

function isAtom(text: string): boolean {
  const start = text.indexOf("<feed");
  const end = text.indexOf(">", start);
  return start !== -1 && text.slice(start, end).includes(' xmlns="http://www.w3.org/2005/Atom"');
}

/** By path. A file without an entry, such as an asset, is judged where another names it. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "/": page,
  "/docs": page,
  "/openapi.json": (text, json) =>
    members("openapi", "info", "paths")(text, json) ??
    (String((json as { openapi: unknown }).openapi).startsWith("3.1.") ? undefined : "openapi 3.1"),
  "/feed.json": members("version", "title", "items"),
  "/feed.atom": (text) => (isAtom(text) ? undefined : "an Atom feed"),
  "/badge.json": members("schemaVersion", "label", "message", "color"),
  "/status.json": members("schemaVersion", "installationId", "now", "publisher", "answers", "sources"),
  "/robots.txt": shows(/^user-agent:/im, "User-agent"),
  "/favicon.svg": shows(/<svg[\s>]/, "<svg>"),
};

export const FILES: readonly FileContract[] = ROWS.flatMap((row) => {
  const fault = FAULTS[row.path];
  if (fault === undefined || row.contentType === null || row.cacheControl === null) return [];
  const { path, contentType: type, cacheControl, conditional: tag, headers } = row;
  return [{ path, type, cacheControl, tag, html: headers === HTML_HEADERS, fault }];
});
