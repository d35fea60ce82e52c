/** The site's files: a correct server gives no finding, and each fault in a file is found. */

import { expect, test } from "vitest";
import { PREFLIGHT_HEADERS } from "../../src/http/common-headers.ts";
import { matchesNone } from "../../src/http/request.ts";
import { HTML_HEADERS } from "../../src/http/route.ts";
import { logEndFile, logTileFile } from "../../src/resources/log/route.ts";
import { assetFile } from "../../src/resources/site/route.ts";
import { FILES as ROWS } from "../../src/resources/table.ts";
import type { Reply, Sent, Transport } from "../../src/verify/exchange.ts";
import { JUDGED_FILES as FILES } from "../../src/verify/files.ts";
import { findingLines } from "../../src/verify/report.ts";
import { type Change, error, headers, isTarget, onReply, type Planted, status, text } from "./support/faults/plant.ts";
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
  "/status.json": `{"schemaVersion":1,"installationId":"wheel-1","now":"${new Date(NOW).toISOString()}","publisher":{},"responses":{},"sources":{}}`,
  "/deployment.json": '{"schemaVersion":1,"installationId":"wheel-1","chainMaxAge":600000}',
  "/robots.txt": "User-agent: *\n",
  "/favicon.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
};

test("every file of the table is checked, except assets, which pages name, and the log, which has proofs", () => {
  const judged = new Set(FILES.map(({ path }) => path));
  expect(ROWS.map(({ path }) => path).filter((path) => !judged.has(path))).toEqual([
    assetFile.path,
    logTileFile.path,
    logEndFile.path,
  ]);
});

/** Correct responses for the files; every other path is unknown. */
const site: Transport = async ({ method, target, headers: sent }) => {
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
    ...(file.headers === HTML_HEADERS ? HTML_HEADERS : {}),
  };
  const condition = sent["if-none-match"];
  if (file.conditional && condition !== undefined && matchesNone(condition, tag)) {
    const { "content-type": _, ...others } = own;
    return reply(304, others, "");
  }
  return reply(200, own, method === "HEAD" ? "" : (BODIES[path] ?? ""));
};

function reply(code: number, own: Readonly<Record<string, string>>, content: string): Reply {
  const body = new TextEncoder().encode(content);
  const lines = Object.entries({ ...own, date: new Date(NOW).toUTCString() });
  return {
    status: code,
    headers: new Map(lines.map(([name, value]) => [name, [value]])),
    body,
    wireLength: body.length,
    at: NOW,
  };
}

const judged = async (fault?: Planted["fault"]) =>
  judge({ send: site, now: NOW, families: ["files"], ...(fault === undefined ? {} : { fault }) });

test("a correct site has no finding", async () => {
  const { findings, skipped, checks } = await judged();
  expect(findings.flatMap(findingLines)).toEqual([]);
  expect(skipped).toEqual([]);
  expect(checks).toBeGreaterThan(100);
});

test("a disabled site is skipped", async () => {
  const off = onReply(({ method }) => method === "GET", error(404, "not_found"));
  expect(await judged(off)).toMatchObject({ findings: [], skipped: [{ what: "files" }] });
});

const plain = (sent: Sent) => sent.method === "GET" && sent.headers["if-none-match"] === undefined;
const FAULTS: readonly (readonly [string, Change])[] = [
  ["404", error(404, "not_found")],
  ["503", error(503, "not_published")],
  ["another type", headers({ "content-type": "application/octet-stream" })],
  ["cached by browsers", headers({ "cache-control": "max-age=600" })],
  ["sniffed", headers({ "x-content-type-options": null })],
  ["empty", text("")],
  ["an error page", text("<h1>Bad gateway</h1>")],
];

test.each(FILES.map(({ path }) => path))("faults of %s", async (path) => {
  const missed: string[] = [];
  const file = FILES.find((one) => one.path === path);
  const more: (readonly [string, Change])[] =
    file?.headers === HTML_HEADERS
      ? [
          ["no policy", headers({ "content-security-policy": null })],
          ["no referrer policy", headers({ "referrer-policy": null })],
          ["an inline script", text("<!doctype html><script>1</script>")],
          ["a missing asset", text(PAGE.replace("1a", "2b"))],
        ]
      : [["no CORS", headers({ "access-control-allow-origin": null })]];
  more.push(file?.conditional ? ["no tag", headers({ etag: null })] : ["a tag", headers({ etag: '"x"' })]);
  for (const [name, change] of [...FAULTS, ...more]) {
    const fault = onReply((sent) => plain(sent) && isTarget(path)(sent), change);
    if ((await judged(fault)).findings.length === 0) missed.push(name);
  }
  const never = onReply((sent, good) => sent.target === path && good.status === 304, status(200));
  if (file?.conditional && (await judged(never)).findings.length === 0) missed.push("never 304");
  const post = onReply(({ method, target }) => method === "POST" && target === path, status(200));
  if ((await judged(post)).findings.length === 0) missed.push("POST gets a response");
  expect(missed).toEqual([]);
});
