/** nginx with the generated file, in front of a real bucket and the shim. */
import { afterAll, beforeAll, describe } from "vitest";
import type { Front } from "./front.ts";
import { startNginx } from "./nginx.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { answersAsCore } from "./scenes/answers-as-core.ts";
import { compresses } from "./scenes/compressed.ts";
import { isHeard } from "./scenes/hearing.ts";
import { keepsBack } from "./scenes/kept-back.ts";
import { refusesMalformed } from "./scenes/malformed.ts";
import { endures } from "./scenes/outage.ts";
import { goesByCertificates } from "./scenes/over-tls.ts";
import { keepsPublishedErrors } from "./scenes/published-errors.ts";
import { type PublishedWorld, publishWorld } from "./scenes/published-world.ts";
import { followsScripts } from "./scripts.ts";
import { makeBucket } from "./stores/s3-store.ts";

let server: S3Server;
let world: PublishedWorld;
let front: Front;
beforeAll(async () => {
  server = await startRadosgw();
  await makeBucket(server);
  world = await publishWorld(server);
  front = await startNginx(world.origins);
});
afterAll(async () => {
  await front?.stop();
  await world?.stop();
  await server?.stop();
});

// nginx names itself; only a rebuilt one does not.
describe("the scripts through nginx", () =>
  followsScripts(
    () => front,
    () => world,
    ["server", "vary"],
  ));

// The shim judges requests that it refuses, without the tags.
describe("nginx under odd requests", () =>
  answersAsCore({
    front: () => front,
    world: () => world,
    requests: 1_000,
    transport: ["server"],
    mayMissTags: ({ target, headers }) =>
      /\.\.|[%\\]/.test(target) || headers.filter(([name]) => /^if-none-match$/i.test(name)).length > 1,
  }));

describe("nginx under load and through outages", () =>
  endures({ world: () => world, start: startNginx, loadMs: 10_000 }));

describe("nginx and its origins' headers", () =>
  keepsBack({ world: () => world, start: startNginx, besides: ["server"] }));

describe("nginx and https", () => goesByCertificates({ world: () => world, start: startNginx }));

describe("nginx and errors", () => keepsPublishedErrors({ server: () => server, start: startNginx }));

describe("nginx and a shim that trusts it", () => isHeard({ server: () => server, start: startNginx }));

describe("nginx and compression", () => compresses({ server: () => server, start: startNginx }));

// It passes over fields that are none, and judges a method before a body; what it keeps needs no host, and of two it
// takes the first.
describe("nginx under what is no HTTP", () =>
  refusesMalformed(() => front, {
    "an expectation that nobody has": "the answer",
    "a field that is none": "the answer",
    "two lengths": { status: 405, error: "method_not_allowed" },
    "a length and chunks": { status: 405, error: "method_not_allowed" },
    "no host": "the answer",
    "two hosts": "the answer",
    "three hundred fields": "the answer",
  }));

describe("nginx with its brotli filter", () =>
  compresses({
    server: () => server,
    start: (origins) => startNginx(origins, { brotli: true }),
    coding: "br",
  }));
