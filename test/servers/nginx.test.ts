/** nginx with the shipped configuration, in front of a real bucket and the shim. */
import { describe } from "vitest";
import { startNginx } from "./nginx.ts";
import { testCompression } from "./scenes/compressed.ts";
import { testConditions } from "./scenes/conditions.ts";
import { testMalformed } from "./scenes/malformed.ts";
import { testOddRequests } from "./scenes/odd-requests.ts";
import { testOutages } from "./scenes/outage.ts";
import { testPublishedErrors } from "./scenes/published-errors.ts";
import { testScripts } from "./scripts.ts";
import { usePublishedFront, useS3Server } from "./use-servers.ts";

const server = useS3Server();
const { world, front } = usePublishedFront(server, startNginx);

describe("the scripts through nginx", () => testScripts(front, world, ["vary"]));

// The shim rejects some requests without looking at their tags.
describe("nginx with odd requests", () =>
  testOddRequests({
    front,
    world,
    requests: 250,
    mayMissTags: ({ target, headers }) =>
      /\.\.|[%\\]/.test(target) || headers.filter(([name]) => /^if-none-match$/i.test(name)).length > 1,
  }));

describe("nginx under load and during outages", () => testOutages({ world, start: startNginx }));

describe("nginx, conditions and long heads", () => testConditions(front));

describe("nginx and errors", () => testPublishedErrors({ server, start: startNginx }));

describe("nginx and compression", () => testCompression({ server, start: startNginx }));

// nginx passes unknown methods to the shim, whose parser refuses them. It ignores invalid header fields and checks the method before the body. A cached response needs no Host, and of
// two Host fields the first counts.
describe("nginx and malformed HTTP", () =>
  testMalformed(front, {
    "an unknown method": 400,
    "an invalid field": "the response",
    "two lengths": { status: 405, error: "method_not_allowed" },
    "a length and chunked encoding": { status: 405, error: "method_not_allowed" },
    "no host": "the response",
    "two hosts": "the response",
    "three hundred fields": "the response",
  }));

describe("nginx and brotli", () => testCompression({ server, start: startNginx, coding: "br" }));
