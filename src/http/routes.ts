/**
 * THE table of routes (read-api.md 4; design 1 and 4): the shim's routing, the CDN files, the OpenAPI document, the
 * client and `noonmark verify` are all read from it, so that they cannot disagree. Data only; what follows from a row
 * is computed elsewhere.
 */
import { NO_STORE, REVALIDATE } from "./common-headers.ts";
import {
  legacySettlementsKey,
  MODULES_KEY,
  ONCHAIN_KEY,
  PROCESS_KEY,
  RANGES,
  SETTLEMENT_RANGES,
  settlementsKey,
  statisticsKey,
  TELEMETRY_KEY,
} from "./keys.ts";
import type { Route } from "./route.ts";

/** A published 503 is kept this long at the edge, other errors not at all (design 1, 9). */
export const PUBLISHED_ERROR_EDGE_SECONDS = 1;

/**
 * Edge seconds. What follows a receipt (they come every few seconds) may lag by one second, which is also how long the
 * API lets a process snapshot be reused (4.4). What follows rounds and blocks may lag by five: the API's reuse of an
 * onchain snapshot (4.6). Statistics too, although 4.5 speaks of 30 s: the publisher recomputes at most every 30 s, so
 * that the allowance is spent before a cache sees the answer. Longer would save nothing: with requests collapsed a key
 * costs its origin one request per edge second, however many readers there are.
 */
const FOLLOWS_RECEIPTS = 1;
const FOLLOWS_BLOCKS = 5;
/** Telemetry, modules and observations only (design 4, "HTTP"). */
const STALE_IF_ERROR = 60;

const UNCONDITIONAL = { conditional: false, notModifiedTag: false, sourceHeaders: false } as const;
const SETTLEMENTS = {
  query: "exact",
  queryError: "invalid_query",
  etag: true,
  conditional: true,
  notModifiedTag: false,
  sourceHeaders: true,
  cacheControl: REVALIDATE,
  absent: "not_published",
  edgeSeconds: FOLLOWS_BLOCKS,
  staleIfErrorSeconds: 0,
} as const;

export const ROUTES = [
  {
    name: "telemetry",
    resource: "telemetry",
    section: "4.1",
    path: "/v1/public/telemetry",
    query: "ignored",
    objects: [{ query: "", key: TELEMETRY_KEY }],
    queryError: null,
    etag: true,
    ...UNCONDITIONAL,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: FOLLOWS_RECEIPTS,
    staleIfErrorSeconds: STALE_IF_ERROR,
  },
  {
    name: "installation-telemetry",
    resource: "telemetry",
    section: "4.1",
    path: "/v1/public/installations/{installationId}/telemetry",
    query: "ignored",
    objects: [],
    queryError: null,
    etag: true,
    ...UNCONDITIONAL,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: FOLLOWS_RECEIPTS,
    staleIfErrorSeconds: STALE_IF_ERROR,
  },
  {
    name: "modules",
    resource: "modules",
    section: "4.2",
    path: "/v1/public/modules",
    query: "ignored",
    objects: [{ query: "", key: MODULES_KEY }],
    queryError: null,
    etag: false,
    ...UNCONDITIONAL,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: FOLLOWS_RECEIPTS,
    staleIfErrorSeconds: STALE_IF_ERROR,
  },
  {
    name: "observations",
    resource: "observations",
    section: "4.3",
    path: "/v1/public/installations/{installationId}/observations",
    query: "observations",
    objects: [],
    queryError: "invalid_cursor",
    etag: false,
    ...UNCONDITIONAL,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: FOLLOWS_RECEIPTS,
    staleIfErrorSeconds: STALE_IF_ERROR,
  },
  {
    name: "process",
    resource: "process",
    section: "4.4",
    path: "/v4/public/process",
    query: "exact",
    objects: [{ query: "", key: PROCESS_KEY }],
    queryError: "invalid_query",
    etag: true,
    conditional: true,
    notModifiedTag: true,
    sourceHeaders: false,
    cacheControl: REVALIDATE,
    absent: "not_published",
    edgeSeconds: FOLLOWS_RECEIPTS,
    staleIfErrorSeconds: 0,
  },
  {
    name: "statistics",
    resource: "statistics",
    section: "4.5",
    path: "/v2/public/stats",
    query: "exact",
    objects: RANGES.map((range) => ({ query: `range=${range}`, key: statisticsKey(range) })),
    queryError: "invalid_query",
    etag: true,
    conditional: true,
    notModifiedTag: true,
    sourceHeaders: false,
    cacheControl: REVALIDATE,
    absent: "database_busy",
    edgeSeconds: FOLLOWS_BLOCKS,
    staleIfErrorSeconds: 0,
  },
  {
    name: "onchain",
    resource: "onchain",
    section: "4.6",
    path: "/v4/public/onchain",
    query: "exact",
    objects: [{ query: "", key: ONCHAIN_KEY }],
    queryError: "invalid_query",
    etag: false,
    ...UNCONDITIONAL,
    cacheControl: NO_STORE,
    absent: "not_published",
    edgeSeconds: FOLLOWS_BLOCKS,
    staleIfErrorSeconds: 0,
  },
  {
    name: "settlements",
    resource: "settlements",
    section: "4.7",
    path: "/v4/public/settlements",
    objects: [
      ...SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: settlementsKey(range) })),
      { query: "range=now&queue=1", key: settlementsKey("queue") },
    ],
    ...SETTLEMENTS,
  },
  {
    name: "activity",
    resource: "activity",
    section: "4.8",
    path: "/v1/public/activity",
    query: "activity",
    objects: [],
    queryError: "invalid_query",
    etag: false,
    ...UNCONDITIONAL,
    cacheControl: NO_STORE,
    absent: "not_published",
    edgeSeconds: FOLLOWS_BLOCKS,
    staleIfErrorSeconds: 0,
  },
  {
    name: "settlements-legacy",
    resource: "settlements-legacy",
    section: "4.9",
    path: "/v3/public/settlements",
    objects: SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: legacySettlementsKey(range) })),
    ...SETTLEMENTS,
  },
] as const satisfies readonly Route[];

export type RouteName = (typeof ROUTES)[number]["name"];
/** A row of the table, its name known. */
export type NamedRoute = Route & { readonly name: RouteName };
