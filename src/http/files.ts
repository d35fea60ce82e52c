/** The common parts of the rows of files (docs/spec/people.md#files). */

/** A page loads nothing from elsewhere, runs no inline script, and cannot be framed. */
export const HTML_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

/** The client revalidates each time; an unchanged file is a 304. */
export const NO_CACHE = "no-cache";
/** For files that are named by the hash of their bytes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** For a file whose object is put when its bytes change. */
export const FILE_RULES = {
  kind: "file",
  query: "ignored",
  handler: "file",
  conditional: true,
  notModifiedTag: true,
  cacheControl: NO_CACHE,
  edgeSeconds: 60,
  staleIfErrorSeconds: 0,
  headers: {},
  cors: true,
} as const;

/** For a page for people. */
export const HTML_RULES = {
  ...FILE_RULES,
  contentType: "text/html; charset=utf-8",
  headers: HTML_HEADERS,
  cors: false,
} as const;
