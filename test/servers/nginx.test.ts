/** nginx with the shipped configuration, in front of a real bucket and the shim. */
import { describe, expect, test } from "vitest";
import { isNormalised, normalisedScripts } from "../support/scripts/all-scripts.ts";
import { startNginx } from "./nginx.ts";
import { testCompression } from "./scenes/compressed.ts";
import { testConditions } from "./scenes/conditions.ts";
import { testMalformed } from "./scenes/malformed.ts";
import { testOddRequests } from "./scenes/odd-requests.ts";
import { testOutages } from "./scenes/outage.ts";
import { testPublishedErrors } from "./scenes/published-errors.ts";
import { sendRaw } from "./scenes/raw-request.ts";
import { testScripts } from "./scripts.ts";
import { usePublishedFront, useS3Server } from "./use-servers.ts";

const server = useS3Server();
const { world, front } = usePublishedFront(server, startNginx);

describe("the scripts through nginx", () => testScripts(front, world, ["vary"], normalisedScripts()));

test.each(["/v4/public/..", "/v4/./public/process", "/v4/%2e%2E/v4/public/process", "/v4\\public/process"])(
  "nginx refuses a path that is not normalised: %s",
  async (target) => {
    const { status, body } = await sendRaw(front(), { method: "GET", target, headers: [["if-none-match", "*"]] });
    expect([status, body]).toEqual([404, '{"error":"not_found"}']);
  },
);

// nginx refuses a method in lower case and a repeated If-None-Match. It compares no tag if quotes do not pair, nor
// where the shim's response may not be kept.
describe("nginx with odd requests", () =>
  testOddRequests({
    front,
    world,
    requests: 250,
    isSkipped: ({ method, target, headers }) =>
      method === "get" || !isNormalised(target) || headers.filter(([name]) => /^if-none-match$/i.test(name)).length > 1,
    mayMissTags: () => true,
  }));

describe("nginx under load and during outages", () => testOutages({ world, start: startNginx }));

describe("nginx, conditions and long heads", () => testConditions(front));

describe("nginx and errors", () => testPublishedErrors({ server, start: startNginx }));

describe("nginx and compression", () => testCompression({ server, start: startNginx, coding: "br" }));

// nginx refuses malformed HTTP itself, and passes no field of a client to the shim.
describe("nginx and malformed HTTP", () =>
  testMalformed(front, {
    CONNECT: { status: 400, error: "bad_request" },
    "a method in lower case": { status: 400, error: "bad_request" },
    "three hundred fields": "the response",
  }));
