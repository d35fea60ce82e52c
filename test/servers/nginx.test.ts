/** nginx with the generated file, in front of a real bucket and the shim. */
import { afterAll, beforeAll, describe } from "vitest";
import { answersAsCore } from "./answers-as-core.ts";
import { compresses } from "./compressed.ts";
import type { Front } from "./front.ts";
import { isHeard } from "./hearing.ts";
import { keepsBack } from "./kept-back.ts";
import { startNginx } from "./nginx.ts";
import { endures } from "./outage.ts";
import { goesByCertificates } from "./over-tls.ts";
import { keepsPublishedErrors } from "./published-errors.ts";
import { type PublishedWorld, publishWorld } from "./published-world.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { makeBucket } from "./s3-store.ts";
import { followsScripts } from "./scripts.ts";

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

// What it refuses, the shim judges without the tags.
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

describe("nginx and what a shim hears", () => isHeard({ server: () => server, start: startNginx }));

describe("nginx and compression", () => compresses({ server: () => server, start: startNginx }));
