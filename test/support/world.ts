/**
 * Publishes the world that the HTTP scripts read: the objects of every route, in the publisher's format. All instants
 * are relative to `at`, so it works in any store and at any time.
 */

import { firstHead, type Head, headObject } from "../../publish/head/head.ts";
import { constantKey, HEAD_KEY } from "../../src/http/keys.ts";
import type { Representation } from "../../src/http/representation.ts";
import type { FileRow } from "../../src/http/route.ts";
import type { Successor } from "../../src/http/successor.ts";
import { activityKey, activityTileKey, CATEGORIES } from "../../src/resources/activity/route.ts";
import { type EventLine, encodeRoot, encodeTile } from "../../src/resources/activity/stored-activity.ts";
import { MODULES_KEY } from "../../src/resources/modules/route.ts";
import { encodeObservationCursor } from "../../src/resources/observations/route.ts";
import { ONCHAIN_KEY } from "../../src/resources/onchain/route.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { SETTLEMENT_RANGES, settlementsKey } from "../../src/resources/settlements/route.ts";
import { legacySettlementsKey } from "../../src/resources/settlements-legacy/route.ts";
import { ASSETS_PREFIX, assetFile, deploymentFile } from "../../src/resources/site/route.ts";
import { statisticsKey } from "../../src/resources/statistics/route.ts";
import { FILES, ROUTES } from "../../src/resources/table.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { chainEventKey } from "../../src/values/activity-key.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { putBytes, putIndex, putResponse, putText, putTiles, type Target } from "./publish-response.ts";

const FEED_AT = Date.parse("2026-11-20T09:00:00.000Z");
const ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
/** In base64url. */
const ROOT_IN_URLS = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
const REVALIDATE = "public, max-age=0, must-revalidate";
const SOURCE = "x-service-settlement-source";
const REASON = "x-service-settlement-fallback-reason";

/**
 * Receipts per installation. wheel-1 has two full tiles and 44 receipts in a third; wheel-2 has one full tile; a:b.c_D
 * has none.
 */
export const RECEIPTS = { "wheel-1": 300, "wheel-2": 128, "a:b.c_D": 0 } as const;

/**
 * `at` (epoch ms) is the time of the newest receipt and of the last good chain pass. The publisher is live for 25 s
 * after `renewedAt` (epoch ms).
 */
export async function putWorld(store: Target, at: number, renewedAt = at): Promise<void> {
  await putIndex(store, ["wheel-1", "wheel-2", "a:b.c_D"]);
  await putTelemetry(store, at);
  await putResponse(store, MODULES_KEY, answer({}, { schemaVersion: 1, installationId: "wheel-1", modules: [] }));
  for (const [id, count] of Object.entries(RECEIPTS)) {
    await putTiles(store, id, count, (position) => item(id, position));
  }
  await putProcess(store, at);
  await putStatistics(store);
  await putChainViews(store, at);
  await putSite(store, renewedAt);
  await putLog(store);
  await putOthers(store);
}

/** The stored routes that have no world of their own here: a body with the headers that their row says. */
async function putOthers(store: Target): Promise<void> {
  for (const { name, path, objects, etag, cacheControl } of ROUTES) {
    const headers = {
      ...(etag ? { etag: `"${name}-1"` } : {}),
      ...(cacheControl === null ? {} : { "cache-control": cacheControl }),
    };
    for (const { key } of objects) {
      if ((await store.get(key)) !== undefined) continue;
      await putResponse(store, key, answer(headers, { schemaVersion: Number(path[2]), installationId: "wheel-1" }));
    }
  }
}

const HOUR_MS = 3_600_000;

/** Puts the world as of now. Its publisher is live for longer than any test takes. */
export function putLiveWorld(store: Target): Promise<void> {
  return putWorld(store, Date.now(), Date.now() + HOUR_MS);
}

/** A short stand-in for an observation's JSON. The shim does not parse it. */
export function item(installationId: string, position: number): string {
  return JSON.stringify({ cursor: encodeObservationCursor(position), installationId, sequence: position - 1 });
}

async function putTelemetry(store: Target, at: number): Promise<void> {
  const telemetry = (installationId: string, revision: string | null, status: string) =>
    answer(revision === null ? {} : { etag: `"${revision}"` }, { schemaVersion: 1, installationId, revision, status });
  const online = telemetry("wheel-1", "telemetry-1", "online");
  await putResponse(store, TELEMETRY_KEY, online, [{ from: at + 120_001, edits: [edit(online, "online", "stale")] }]);
  await putResponse(store, installationTelemetryKey("wheel-2"), telemetry("wheel-2", "telemetry-2", "stale"));
  await putResponse(store, installationTelemetryKey("a:b.c_D"), telemetry("a:b.c_D", null, "offline"));
  await putResponse(store, UNKNOWN_TELEMETRY_KEY, telemetry("{installationId}", null, "offline"));
}

async function putProcess(store: Target, at: number): Promise<void> {
  const headers = { etag: '"process-1"', "cache-control": REVALIDATE };
  const process = answer(headers, {
    schemaVersion: 4,
    installationId: "wheel-1",
    revision: "process-1",
    measurement: { freshness: "online" },
    settlementQueue: { state: "ready" },
  });
  const stale = [edit(process, "process-1", "process-2"), edit(process, "online", "stale")];
  await putResponse(store, PROCESS_KEY, process, [
    { from: at + 120_001, headers: { etag: '"process-2"' }, edits: stale },
    {
      from: at + 600_001,
      headers: { etag: '"process-3"' },
      edits: [
        edit(process, "process-1", "process-3"),
        edit(process, "online", "stale"),
        edit(process, '"ready"', '"stale"'),
      ],
    },
  ]);
}

async function putStatistics(store: Target): Promise<void> {
  const headers = { etag: '"stats-7d"', "cache-control": REVALIDATE };
  await putResponse(
    store,
    statisticsKey("7d"),
    answer(headers, { schemaVersion: 2, revision: "stats-7d", range: "7d" }),
  );
  await putResponse(store, statisticsKey("30d"), {
    status: 503,
    headers: { "cache-control": "no-store", "retry-after": "2" },
    body: '{"error":"public_stats_rebuilding"}',
  });
}

async function putChainViews(store: Target, at: number): Promise<void> {
  const noStore = { "cache-control": "no-store" };
  const unavailable = { status: "unavailable", reason: "indexer_unavailable" };
  await putResponse(store, ONCHAIN_KEY, answer(noStore, { schemaVersion: 4, status: "available" }), [
    { from: at + 600_000, key: constantKey(ONCHAIN_KEY) },
  ]);
  await putResponse(store, constantKey(ONCHAIN_KEY), answer(noStore, { schemaVersion: 4, ...unavailable }));
  for (const range of [...SETTLEMENT_RANGES, "queue"] as const) {
    await putSettlements(store, settlementsKey(range), `v4-${range}`, at);
    if (range !== "queue") await putSettlements(store, legacySettlementsKey(range), `v3-${range}`, at);
  }
  for (const category of CATEGORIES) {
    await putResponse(store, constantKey(activityKey(category)), answer(noStore, { schemaVersion: 1, ...unavailable }));
    if (category !== "protocol") {
      const disabled = { schemaVersion: 1, status: "unavailable", reason: "indexer_disabled" };
      await putResponse(store, activityKey(category), answer(noStore, disabled));
    }
  }
  await putProtocolFeed(store, at);
}

/**
 * Five events at a fixed time, so that scripts can contain their cursors: one in the head, two in each of two tiles.
 */
async function putProtocolFeed(store: Target, at: number): Promise<void> {
  const event = (number: number): EventLine => ({
    key: chainEventKey(FEED_AT, { blockNumber: BigInt(100 + number), transactionIndex: 0, logIndex: 0 }),
    text: JSON.stringify({ id: `31337-${100 + number}-0` }),
  });
  const tile = async (name: string, events: readonly EventLine[]) => {
    await putText(store, activityTileKey("protocol", name), encodeTile(events));
    return { name, last: events.at(-1)?.key ?? "" };
  };
  const tiles = [await tile("1-1-b", [event(4), event(3)]), await tile("1-1-a", [event(2), event(1)])];
  const opening = '{"schemaVersion":1,"status":"available","category":"protocol","events":[';
  const body = encodeRoot({ opening, recent: [event(5)], tiles, indexes: [] });
  const headers = { "cache-control": "no-store" };
  const key = activityKey("protocol");
  await putResponse(store, key, { status: 200, headers, body }, [{ from: at + 600_000, key: constantKey(key) }]);
}

/** Live for ten minutes, then the same body from the durable cache. */
async function putSettlements(store: Target, key: string, revision: string, at: number): Promise<void> {
  const live = answer(
    { etag: `"${revision}-live"`, "cache-control": REVALIDATE, [SOURCE]: "live" },
    { schemaVersion: Number(revision[1]), status: "available", range: revision.slice(3) },
  );
  const saved: Successor = {
    from: at + 600_000,
    headers: { etag: `"${revision}-saved"`, [SOURCE]: "durable-cache", [REASON]: "indexer_unavailable" },
  };
  await putResponse(store, key, live, [saved]);
}

/** The web page and its assets, the data files, and the head from which the publication status is made. */
async function putSite(store: Target, at: number): Promise<void> {
  const bodies: Readonly<Record<string, string>> = {
    page: '<!doctype html><link rel="stylesheet" href="assets/style-0123456789ab.css">',
    docs: "<!doctype html><title>API</title>",
    openapi: '{"openapi":"3.1.0"}',
    deployment: '{"schemaVersion":1,"installationId":"wheel-1","chainMaxAge":600000}',
    robots: "User-agent: *\nAllow: /\n",
    favicon: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  for (const file of FILES) {
    for (const { key } of file.objects) {
      await putResponse(store, key, renderFile(file, bodies[file.name] ?? "", file.contentType ?? ""));
    }
  }
  const css = renderFile(assetFile, "body{margin:0}", "text/css; charset=utf-8");
  await putResponse(store, `${ASSETS_PREFIX}style-0123456789ab.css`, css);
  await store.put(HEAD_KEY, headObject(worldHead(at)));
}

/** A checkpoint and a few files, with control characters. The other keys have no form of a log's file. */
async function putLog(store: Target): Promise<void> {
  const encoder = new TextEncoder();
  await putBytes(store, "log/checkpoint", encoder.encode("wheel.example/log\n300\n"), "text/plain; charset=utf-8");
  const files = ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000", "tile/entries/x001/x234/067"];
  const others = ["tile/0/000.p/0", "tile/0/000.p/256", "tile/0/0", "tile/7/000", "tile/0/x000/001", "secret"];
  for (const name of [...files, ...others]) {
    const body = Uint8Array.of(0, 1, 10, 13, ...encoder.encode(name));
    await putBytes(store, `log/${name}`, body, "application/octet-stream");
  }
  for (const key of ["log/1/checkpoint", "private/log/checkpoint"]) {
    await putText(store, key, "unserved");
  }
}

function renderFile(file: FileRow, body: string, contentType: string): Representation {
  const headers = { etag: `"${file.name}-1"`, "cache-control": file.cacheControl ?? "", ...file.headers };
  return { status: 200, headers, contentType, body };
}

/** Renewed 5 s before `at` (epoch ms), for 30 s. */
export function worldHead(at: number): Head {
  const renewedAt = at - 5_000;
  const [deployment] = deploymentFile.objects;
  const response = { states: [], seal: "", tag: null, status: 200, asOf: renewedAt, safeBlock: null, binding: null };
  const first = firstHead("wheel-1", "public");
  const newestReceiptAt = formatTimestamp(renewedAt);
  return {
    ...first,
    lease: { ...first.lease, renewedAt, ttlMs: 30_000, released: false },
    at: renewedAt,
    log: { size: 300, root: ROOT, form: "public", keys: ["wheel.example+01020304+AQ"] },
    responses: {
      [TELEMETRY_KEY]: { ...response, etag: '"t-1"', logSize: 300, program: "0.1.0" },
      [deployment.key]: { ...response, etag: `"${ROOT_IN_URLS}"`, logSize: null, program: "0.1.0" },
    },
    sources: {
      ledger: { status: "followed", newestReceiptAt },
      chain: { ...first.sources.chain, status: "disabled" },
    },
  };
}

function answer(headers: Representation["headers"], body: unknown): Representation {
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** Replaces the only occurrence of a text in an ASCII body. */
function edit({ body }: Representation, from: string, to: string) {
  return { offset: body.indexOf(from), length: from.length, text: to };
}
