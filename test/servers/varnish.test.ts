/** Varnish with the generated file, in front of a real bucket and the shim. */
import { describe, expect, test } from "vitest";
import { until } from "../support/processes.ts";
import { answersAsCore } from "./scenes/answers-as-core.ts";
import { compresses } from "./scenes/compressed.ts";
import { isHeard } from "./scenes/hearing.ts";
import { keepsBack } from "./scenes/kept-back.ts";
import { refusesMalformed } from "./scenes/malformed.ts";
import { endures } from "./scenes/outage.ts";
import { keepsPublishedErrors } from "./scenes/published-errors.ts";
import { followsScripts } from "./scripts.ts";
import { usePublishedFront, useS3Server } from "./use-servers.ts";
import { startVarnish } from "./varnish.ts";

const server = useS3Server();
const { world, front } = usePublishedFront(server, startVarnish);

describe("the scripts through Varnish", () => followsScripts(front, world, ["vary"]));
describe("the scripts on the shim over S3", () =>
  followsScripts(() => ({ hostname: "127.0.0.1", port: world().shim.port }), world, ["vary"]));

test("a response from Varnish's cache carries the Date of now and no Age, as a server's own would", async () => {
  const dateOf = async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${front().port}/feed.json`);
    expect([status, headers.get("age")]).toEqual([200, null]);
    return Date.parse(headers.get("date") ?? "");
  };
  const first = await dateOf();
  // The file is kept for 60 s: within these limits only Varnish itself can move the Date.
  await until("the Date moves on", async () => (await dateOf()) > first, 10_000);
});

// It takes a HEAD with a body for no HTTP.
describe("Varnish under odd requests", () =>
  answersAsCore({
    front,
    world,
    requests: 1_000,
    leavesOut: ({ method, body }) => method === "HEAD" && body !== undefined,
  }));

describe("Varnish under load and through outages", () => endures({ world, start: startVarnish, loadMs: 10_000 }));

// It can drop a header only by its name: one that no store is known for passes.
describe("Varnish and its origins' headers", () => keepsBack({ world, start: startVarnish, besides: ["x-odd"] }));

describe("Varnish and errors", () => keepsPublishedErrors({ server, start: startVarnish }));

describe("Varnish and a shim that trusts it", () => isHeard({ server, start: startVarnish }));

describe("Varnish and compression", () => compresses({ server, start: startVarnish }));

// It handles malformed HTTP before any rule of the file: a status and no more.
describe("Varnish under what is no HTTP", () =>
  refusesMalformed(front, {
    "an expectation that nobody has": 417,
    "what is no token": { status: 405, error: "method_not_allowed" },
    "no method": 400,
    "no HTTP at all": 400,
    "a version of nobody's": 400,
    "a field that is none": 400,
    "two lengths": 400,
    "a length and chunks": 400,
    "two hosts": 400,
    "three hundred fields": 400,
    "a field of 17 kB": 400,
  }));
