import { expect, test } from "vitest";
import { COMMON_HEADERS, CONTENT_TYPE } from "../../../src/http/common-headers.ts";
import { faultsOf } from "./judge.ts";

const good = { ...COMMON_HEADERS, "content-type": CONTENT_TYPE };
const error = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { ...good, "content-length": String(code.length + 12), ...headers },
  body: `{"error":"${code}"}`,
});
const BUSY = { "cache-control": "no-store", "retry-after": "2" };

test.each([
  ["an answer", "GET", { status: 200, headers: { ...good, "content-length": "2" }, body: "{}" }],
  ["its head", "HEAD", { status: 200, headers: { ...good, "content-length": "2" }, body: "" }],
  ["a 304", "GET", { status: 304, headers: COMMON_HEADERS, body: "" }],
  [
    "a page",
    "GET",
    {
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" },
      body: "",
    },
  ],
  ["a 400", "GET", error(400, "invalid_cursor")],
  ["a 405", "POST", error(405, "method_not_allowed", { allow: "GET, HEAD, OPTIONS" })],
  ["a 503", "GET", error(503, "store_unavailable", BUSY)],
])("%s passes as the API's", (_, method, answer) => {
  expect(faultsOf({ method }, answer)).toEqual([]);
});

test.each([
  ["a status that it does not name", error(500, "internal_error"), "status 500"],
  ["a code that it does not name", error(503, "oops", BUSY), "errors/code"],
  ["a code of another status", error(404, "bad_request"), "errors/code"],
  ["a 503 that may be kept", error(503, "store_unavailable", { "retry-after": "2" }), "errors/cache-control"],
  ["a 405 without Allow", error(405, "method_not_allowed"), "method/allow"],
  ["a missing header", { status: 200, headers: { "content-type": CONTENT_TYPE }, body: "{}" }, "headers/cors"],
  [
    "half a body",
    { status: 200, headers: { ...good, "content-length": "9" }, body: '{"a":' },
    "headers/content-length",
  ],
  ["what is not JSON", { status: 200, headers: { ...good, "content-length": "1" }, body: "{" }, "answer/json"],
])("%s is found", (_, answer, fault) => {
  expect(faultsOf({ method: "GET", target: "/v1/public/modules" }, answer).join()).toContain(fault);
});

test("a front's 200 is judged by the status for its readers", () => {
  const kept = { ...error(503, "public_stats_rebuilding", BUSY), status: 200 };
  const headers = { ...kept.headers, "cache-control": "max-age=0, s-maxage=1", "noonmark-status": "503" };
  const target = "/v2/public/stats?range=30d";
  expect(faultsOf({ method: "GET", target, asFront: true }, { ...kept, headers })).toEqual([]);
  expect(faultsOf({ method: "GET", target, asFront: true }, kept)).not.toEqual([]);
});
