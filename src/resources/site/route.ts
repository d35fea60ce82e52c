/** The files of the page, the API reference, and their assets (docs/spec/people.md#files). */
import { CONTENT_TYPE } from "../../http/common-headers.ts";
import { FILE_RULES, type FileRow, HTML_RULES, IMMUTABLE } from "../../http/route.ts";

/** The key prefix of every file. */
export const SITE_PREFIX = "site/";
export const ASSETS_PREFIX = `${SITE_PREFIX}assets/`;

export const pageFile = {
  ...HTML_RULES,
  name: "page",
  resource: "site",
  path: "/",
  objects: [{ query: "", key: `${SITE_PREFIX}index.html` }],
} as const satisfies FileRow;

export const docsFile = {
  ...HTML_RULES,
  name: "docs",
  resource: "site",
  path: "/docs",
  objects: [{ query: "", key: `${SITE_PREFIX}docs.html` }],
} as const satisfies FileRow;

/** An asset's key is `site` plus its path. Fronts request assets from the shim. */
export const assetFile = {
  ...FILE_RULES,
  name: "asset",
  resource: "site",
  path: "/assets/{asset}",
  objects: [],
  parts: [ASSETS_PREFIX],
  contentType: null,
  cacheControl: IMMUTABLE,
  edgeSeconds: 3600,
} as const satisfies FileRow;

export const openapiFile = {
  ...FILE_RULES,
  name: "openapi",
  resource: "site",
  path: "/openapi.json",
  objects: [{ query: "", key: `${SITE_PREFIX}openapi.json` }],
  contentType: CONTENT_TYPE,
} as const satisfies FileRow;

export const deploymentFile = {
  ...FILE_RULES,
  name: "deployment",
  resource: "site",
  path: "/deployment.json",
  objects: [{ query: "", key: `${SITE_PREFIX}deployment.json` }],
  contentType: CONTENT_TYPE,
} as const satisfies FileRow;

export const robotsFile = {
  ...FILE_RULES,
  name: "robots",
  resource: "site",
  path: "/robots.txt",
  objects: [{ query: "", key: `${SITE_PREFIX}robots.txt` }],
  contentType: "text/plain; charset=utf-8",
} as const satisfies FileRow;

export const faviconFile = {
  ...FILE_RULES,
  name: "favicon",
  resource: "site",
  path: "/favicon.svg",
  objects: [{ query: "", key: `${SITE_PREFIX}favicon.svg` }],
  contentType: "image/svg+xml",
} as const satisfies FileRow;
