/** nginx with the generated file, in front of a real bucket and the shim. */
import { describe } from "vitest";
import { startNginx } from "./nginx.ts";
import { answersAsCore } from "./scenes/answers-as-core.ts";
import { compresses } from "./scenes/compressed.ts";
import { isHeard } from "./scenes/hearing.ts";
import { keepsBack } from "./scenes/kept-back.ts";
import { refusesMalformed } from "./scenes/malformed.ts";
import { endures } from "./scenes/outage.ts";
import { goesByCertificates } from "./scenes/over-tls.ts";
import { keepsPublishedErrors } from "./scenes/published-errors.ts";
import { followsScripts } from "./scripts.ts";
import { usePublishedFront, useS3Server } from "./use-servers.ts";

const server = useS3Server();
const { world, front } = usePublishedFront(server, startNginx);

// nginx names itself; only a rebuilt one does not.
describe("the scripts through nginx", () => followsScripts(front, world, ["server", "vary"]));

// The shim judges requests that it refuses, without the tags.
describe("nginx under odd requests", () =>
  answersAsCore({
    front,
    world,
    requests: 1_000,
    transport: ["server"],
    mayMissTags: ({ target, headers }) =>
      /\.\.|[%\\]/.test(target) || headers.filter(([name]) => /^if-none-match$/i.test(name)).length > 1,
  }));

describe("nginx under load and through outages", () => endures({ world, start: startNginx, loadMs: 10_000 }));

describe("nginx and its origins' headers", () => keepsBack({ world, start: startNginx, besides: ["server"] }));

describe("nginx and https", () => goesByCertificates({ world, start: startNginx }));

describe("nginx and errors", () => keepsPublishedErrors({ server, start: startNginx }));

describe("nginx and a shim that trusts it", () => isHeard({ server, start: startNginx }));

describe("nginx and compression", () => compresses({ server, start: startNginx }));

// It passes over fields that are none, and judges a method before a body; what it keeps needs no host, and of two it
// takes the first.
describe("nginx under what is no HTTP", () =>
  refusesMalformed(front, {
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
    server,
    start: (origins) => startNginx(origins, { brotli: true }),
    coding: "br",
  }));
