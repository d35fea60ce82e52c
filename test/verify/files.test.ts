/** The files beside the routes: a server that has them gives no finding, each fault of one is found. */

import { expect, test } from "vitest";
import { PREFLIGHT_HEADERS } from "../../src/http/common-headers.ts";
import { matchesNone } from "../../src/http/request.ts";
import { HTML_HEADERS } from "../../src/http/route.ts";
import type { Reply, Sent, Transport } from "../../src/judge/exchange.ts";
import { JUDGED_FILES as FILES, isHtml } from "../../src/judge/files.ts";
import { findingLine } from "../../src/judge/report.ts";
import { assetFile } from "../../src/resources/site/route.ts";
import { FILES as ROWS } from "../../src/resources/table.ts";
import { asError, isTarget, onReply, type Planted, withBody, withHeaders, withStatus } from "./support/faults/plant.ts";
import { judge } from "./support/stand-in.ts";

const NOW = Date.parse("2026-11-20T10:00:00.000Z");
const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  "x-content-type-options": "nosniff",
};
const PAGE =
  '<!doctype html><html><head><script type="module" src="assets/page-1a.js"></script></head><body></body></html>';
const BODIES: Readonly<Record<string, string>> = {
  "/": PAGE,
  "/docs": "<!doctype html><html></html>",
  "/openapi.json": '{"openapi":"3.1.1","info":{},"paths":{}}',
  "/feed.json": '{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[]}',
  "/feed.atom": '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"></feed>',
  "/badge.json": '{"schemaVersion":1,"label":"wheel-1","message":"online","color":"green"}',
  "/status.json": `{"schemaVersion":1,"installationId":"wheel-1","now":"${new Date(NOW).toISOString()}","publisher":{},"answers":{},"sources":{}}`,
  "/robots.txt": "User-agent: *\n",
  "/favicon.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
};

test("every file of the table is checked, and assets through the pages that name them", () => {
  const judged = new Set(FILES.map(({ path }) => path));
  expect(ROWS.map(({ path }) => path).filter((path) => !judged.has(path))).toEqual([assetFile.path]);
});

/** Right responses for the files; every other path is unknown. */
const site: Transport = async ({ method, target, headers }) => {
  const path = target.split("?", 1)[0] ?? "";
  const file = FILES.find((one) => one.path === path);
  const json = { ...COMMON, "content-type": "application/json; charset=utf-8" };
  const isAsset = path === "/assets/page-1a.js";
  if (method === "OPTIONS") return reply(204, { ...COMMON, ...PREFLIGHT_HEADERS }, "");
  if (method !== "GET" && method !== "HEAD") {
    return reply(405, { ...json, allow: "GET, HEAD, OPTIONS" }, '{"error":"method_not_allowed"}');
  }
  if (isAsset)
    return reply(
      200,
      { ...COMMON, "content-type": "text/javascript", "cache-control": "public, max-age=31536000, immutable" },
      "1",
    );
  if (file === undefined) return reply(404, json, '{"error":"not_found"}');
  const tag = '"t1"';
  const own = {
    ...COMMON,
    "content-type": file.contentType ?? "",
    "cache-control": file.cacheControl ?? "",
    ...(file.conditional ? { etag: tag } : {}),
    ...(isHtml(file) ? HTML_HEADERS : {}),
  };
  const asked = headers["if-none-match"];
  if (file.conditional && asked !== undefined && matchesNone(asked, tag)) {
    const { "content-type": _, ...headers } = own;
    return reply(304, headers, "");
  }
  return reply(200, own, method === "HEAD" ? "" : (BODIES[path] ?? ""));
};

function reply(status: number, headers: Readonly<Record<string, string>>, text: string): Reply {
  const body = new TextEncoder().encode(text);
  const lines = Object.entries({ ...headers, date: new Date(NOW).toUTCString() });
  return {
    status,
    headers: new Map(lines.map(([name, value]) => [name, [value]])),
    body,
    wireLength: body.length,
    at: NOW,
  };
}

const judged = async (fault?: Planted["fault"]) =>
  judge({ send: site, now: NOW, families: ["files"], ...(fault === undefined ? {} : { fault }) });

test("a right site has no finding", async () => {
  const { findings, skipped, checks } = await judged();
  expect(findings.map(findingLine)).toEqual([]);
  expect(skipped).toEqual([]);
  expect(checks).toBeGreaterThan(100);
});

test("a site that is turned off is skipped", async () => {
  const off = onReply(
    ({ method }) => method === "GET",
    (good) => asError(good, 404, "not_found"),
  );
  expect(await judged(off)).toMatchObject({ findings: [], skipped: [{ rule: "files/status" }] });
});

const plain = ({ headers, method }: Sent) => method === "GET" && headers["if-none-match"] === undefined;
const FAULTS: readonly (readonly [string, (good: Reply) => Reply])[] = [
  ["404", (good) => asError(good, 404, "not_found")],
  ["503", (good) => asError(good, 503, "not_published")],
  ["another type", (good) => withHeaders(good, { "content-type": "application/octet-stream" })],
  ["kept by browsers", (good) => withHeaders(good, { "cache-control": "max-age=600" })],
  ["sniffed", (good) => withHeaders(good, { "x-content-type-options": null })],
  ["empty", (good) => withBody(good, "")],
  ["an error page", (good) => withBody(good, "<h1>Bad gateway</h1>")],
];

test.each(FILES.map(({ path }) => path))("faults of %s", async (path) => {
  const missed: string[] = [];
  const file = FILES.find((one) => one.path === path);
  const more: (readonly [string, (good: Reply) => Reply])[] =
    file !== undefined && isHtml(file)
      ? [
          ["no policy", (good) => withHeaders(good, { "content-security-policy": null })],
          ["no referrer policy", (good) => withHeaders(good, { "referrer-policy": null })],
          ["an inline script", (good) => withBody(good, "<!doctype html><script>1</script>")],
          ["an asset that is not there", (good) => withBody(good, PAGE.replace("1a", "2b"))],
        ]
      : [["no CORS", (good) => withHeaders(good, { "access-control-allow-origin": null })]];
  more.push(
    file?.conditional
      ? ["no tag", (good) => withHeaders(good, { etag: null })]
      : ["a tag", (good) => withHeaders(good, { etag: '"x"' })],
  );
  for (const [name, change] of [...FAULTS, ...more]) {
    const fault = onReply((sent, good) => plain(sent) && isTarget(path)(sent, good), change);
    if ((await judged(fault)).findings.length === 0) missed.push(name);
  }
  const never = onReply(
    (sent, good) => sent.target === path && good.status === 304,
    (good) => withStatus(good, 200),
  );
  if (file?.conditional && (await judged(never)).findings.length === 0) missed.push("never 304");
  const post = onReply(
    ({ method, target }) => method === "POST" && target === path,
    (good) => withStatus(good, 200),
  );
  if ((await judged(post)).findings.length === 0) missed.push("POST gets a response");
  expect(missed).toEqual([]);
});
