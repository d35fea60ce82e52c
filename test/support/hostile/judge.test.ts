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
  ["a response", "GET", { status: 200, headers: { ...good, "content-length": "2" }, body: "{}" }],
  ["a response to HEAD", "HEAD", { status: 200, headers: { ...good, "content-length": "2" }, body: "" }],
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
])("%s is accepted as an API response", (_, method, response) => {
  expect(faultsOf({ method }, response)).toEqual([]);
});

test.each([
  ["an undocumented status", error(500, "internal_error"), "status 500"],
  ["an undocumented code", error(503, "oops", BUSY), "errors/body"],
  ["a code of another status", error(404, "bad_request"), "errors/body"],
  ["a cacheable 503", error(503, "store_unavailable", { "retry-after": "2" }), "errors/headers"],
  ["a 405 without Allow", error(405, "method_not_allowed"), "errors/headers"],
  ["a missing header", { status: 200, headers: { "content-type": CONTENT_TYPE }, body: "{}" }, "headers/cors"],
  ["half a body", { status: 200, headers: { ...good, "content-length": "9" }, body: '{"a":' }, "headers/content"],
  ["a body that is not JSON", { status: 200, headers: { ...good, "content-length": "1" }, body: "{" }, "answer/body"],
])("%s is reported as a fault", (_, response, fault) => {
  expect(faultsOf({ method: "GET", target: "/v1/public/modules" }, response).join()).toContain(fault);
});
