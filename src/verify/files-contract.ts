/** The files that a deployment may have beside the routes, and how each is answered. */

export interface FileContract {
  readonly path: string;
  readonly type: string;
  readonly cacheControl: string;
  /** Whether it has an ETag. */
  readonly tag: boolean;
  readonly html: boolean;
  /** What the body lacks; undefined for a good one. */
  fault?(text: string, json: unknown): string | undefined;
}

export const HTML_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

const HTML = { type: "text/html; charset=utf-8", cacheControl: "no-cache", tag: true, html: true } as const;
const DATA = { cacheControl: "no-cache", tag: true, html: false } as const;
const JSON_TYPE = "application/json; charset=utf-8";

const isHtml = (text: string) => (/^\s*<!doctype html>/i.test(text) ? undefined : "<!doctype html>");
const lacks = (json: unknown, names: readonly string[]): string | undefined => {
  const missing = names.filter((name) => (json as Record<string, unknown> | undefined)?.[name] === undefined);
  return missing.length === 0 ? undefined : missing.join(", ");
};

export const FILES: readonly FileContract[] = [
  { path: "/", ...HTML, fault: isHtml },
  { path: "/docs", ...HTML, fault: isHtml },
  {
    path: "/openapi.json",
    ...DATA,
    type: JSON_TYPE,
    fault: (_, json) =>
      lacks(json, ["openapi", "info", "paths"]) ??
      (String((json as { openapi: unknown }).openapi).startsWith("3.1.") ? undefined : "openapi 3.1"),
  },
  {
    path: "/feed.json",
    ...DATA,
    type: "application/feed+json; charset=utf-8",
    fault: (_, json) => lacks(json, ["version", "title", "items"]),
  },
  {
    path: "/feed.atom",
    ...DATA,
    type: "application/atom+xml; charset=utf-8",
    fault: (text) => (/<feed[^>]*xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/.test(text) ? undefined : "an Atom feed"),
  },
  {
    path: "/badge.json",
    ...DATA,
    type: JSON_TYPE,
    fault: (_, json) => lacks(json, ["schemaVersion", "label", "message", "color"]),
  },
  {
    path: "/status.json",
    type: JSON_TYPE,
    cacheControl: "no-store",
    tag: false,
    html: false,
    fault: (_, json) => lacks(json, ["schemaVersion", "installationId", "now", "publisher", "answers", "sources"]),
  },
  {
    path: "/robots.txt",
    ...DATA,
    type: "text/plain; charset=utf-8",
    fault: (text) => (/^user-agent:/im.test(text) ? undefined : "User-agent"),
  },
  {
    path: "/favicon.svg",
    ...DATA,
    type: "image/svg+xml",
    fault: (text) => (/<svg[\s>]/.test(text) ? undefined : "<svg>"),
  },
];
