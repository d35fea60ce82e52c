/** Varnish with the shipped configuration, in front of a real bucket and the shim. */
import { describe, expect, test } from "vitest";
import { until } from "../support/processes.ts";
import { testCompression } from "./scenes/compressed.ts";
import { testConditions } from "./scenes/conditions.ts";
import { testHeaderFilter } from "./scenes/header-filter.ts";
import { testMalformed } from "./scenes/malformed.ts";
import { testOddRequests } from "./scenes/odd-requests.ts";
import { testOutages } from "./scenes/outage.ts";
import { testPublishedErrors } from "./scenes/published-errors.ts";
import { testScripts } from "./scripts.ts";
import { usePublishedFront, useS3Server } from "./use-servers.ts";
import { startVarnish } from "./varnish.ts";

const server = useS3Server();
const { world, front } = usePublishedFront(server, startVarnish);

describe("the scripts through Varnish", () => testScripts(front, world, ["vary"]));
describe("the scripts on the shim over S3", () =>
  testScripts(() => ({ hostname: "127.0.0.1", port: world().shim.port }), world, ["vary", "cdn-cache-control"]));

test("a response from Varnish's cache has the current Date and no Age, like an origin's response", async () => {
  const dateOf = async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${front().port}/openapi.json`);
    expect([status, headers.get("age")]).toEqual([200, null]);
    return Date.parse(headers.get("date") ?? "");
  };
  const first = await dateOf();
  // The file is cached for 60 s. Within these limits only Varnish itself can change the Date.
  await until("the Date moves on", async () => (await dateOf()) > first, 10_000);
});

// Varnish treats a HEAD with a body as malformed HTTP.
describe("Varnish with odd requests", () =>
  testOddRequests({
    front,
    world,
    requests: 250,
    isSkipped: ({ method, body }) => method === "HEAD" && body !== undefined,
  }));

describe("Varnish under load and during outages", () => testOutages({ world, start: startVarnish }));

// Varnish can remove a header only by name, so a header of no known store is passed on.
describe("Varnish and its origins' headers", () =>
  testHeaderFilter({ world, start: startVarnish, allowed: ["x-odd"] }));

describe("Varnish, conditions and long heads", () => testConditions(front));

describe("Varnish and errors", () => testPublishedErrors({ server, start: startVarnish }));

describe("Varnish and compression", () => testCompression({ server, start: startVarnish }));

// Varnish handles malformed HTTP before any rule of the file, with only a status. So does the shim with a long target.
describe("Varnish and malformed HTTP", () =>
  testMalformed(front, {
    "an unknown expectation": 417,
    "a method that is not a token": { status: 405, error: "method_not_allowed" },
    "no host": "the response",
    "an invalid host": "the response",
    "no method": 400,
    "no HTTP at all": 400,
    "an unknown version": 400,
    "an invalid field": 400,
    "two lengths": 400,
    "a length and chunked encoding": 400,
    "two hosts": 400,
    "three hundred fields": 400,
    "a field of 17 kB": 400,
    "a target of 17 kB": 431,
  }));
