/** CloudFront's template in a simulated CloudFront, in front of the shim with `--shared-cache-control`. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { type ShimContext, shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { CloudFront, type CloudFrontTemplate, type Origin } from "../support/cloudfront.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putResponse } from "../support/publish-response.ts";
import { normalisedScripts } from "../support/scripts/all-scripts.ts";
import { runScript } from "../support/scripts/run-http-script.ts";
import { scriptWorld } from "../support/scripts/script-world.ts";

const template = parse(
  readFileSync(new URL("../../cdn-config/cloudfront/template.yaml", import.meta.url), "utf8"),
) as CloudFrontTemplate;
const NOW = 1_000_000;

function shimOf(context: ShimContext): Origin {
  return async (method, url) => {
    const reply = await respond({ method, url }, context);
    return { ...reply, body: reply.body === undefined ? "" : new TextDecoder().decode(reply.body) };
  };
}

describe.each(["original request", "rewritten request"] as const)(
  "viewer-response functions that see the %s",
  (responseSees) => {
    for (const { name, blocks } of normalisedScripts()) {
      test(`${name}, byte for byte`, async () => {
        const { context, control, object } = await scriptWorld();
        const origin = shimOf({ ...context, lifetimeHeader: "cache-control" });
        const cloudfront = new CloudFront({ template, origin, now: () => context.now(), tiers: 0, responseSees });
        const send = async (method: string, url: string, sent: Readonly<Record<string, string>>) => {
          const reply = await cloudfront.request(method, url, sent);
          if (reply.status < 400) return reply;
          // No function runs for an error: docs/cdn.md#differences.
          const { "cache-control": kept, ...headers } = reply.headers;
          expect(kept ?? "no-store").toMatch(/^(?:no-store|max-age=1, stale-while-revalidate=0, stale-if-error=0)$/);
          const own = (await respond({ method, url }, context)).headers["cache-control"];
          return { ...reply, headers: own === undefined ? headers : { ...headers, "cache-control": own } };
        };
        const outcome = await runScript(blocks, { control, object, transport: [], send });
        expect(outcome).toMatchObject({ differences: [], skipped: [] });
      });
    }
  },
);

/** A distribution in front of a shim over an in-memory store, with control over clock and origin. */
function distribution() {
  const store = new MemoryStore();
  const world = { store, now: NOW, down: false, asked: 0 };
  const shim = shimOf(
    shimContext({ store, now: () => world.now, monotonic: () => world.now, lifetimeHeader: "cache-control" }),
  );
  const origin: Origin = async (...request) => {
    if (world.down) throw new Error("down");
    world.asked += 1;
    return shim(...request);
  };
  const cloudfront = new CloudFront({
    template,
    origin,
    now: () => world.now,
    tiers: 1,
    responseSees: "rewritten request",
  });
  const get = (url: string, headers: Record<string, string> = {}) => cloudfront.request("GET", url, headers);
  return Object.assign(world, { get });
}

test("a response is kept for its edge seconds, and never past valid-until while the origin fails", async () => {
  const world = distribution();
  await putResponse(world.store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"fresh"' }, [
    { from: NOW + 10_500 },
  ]);
  expect((await world.get("/v1/public/telemetry")).body).toBe('"fresh"');
  world.now = NOW + 999;
  await world.get("/v1/public/telemetry");
  expect(world.asked).toBe(1);
  world.down = true;
  const statuses: [number, number][] = [];
  for (; world.now < NOW + 12_000; world.now += 500)
    statuses.push([world.now - NOW, (await world.get("/v1/public/telemetry")).status]);
  expect(statuses.filter(([at, status]) => at < 8_000 && status !== 200)).toEqual([]);
  expect(statuses.filter(([at, status]) => at >= 10_500 && status === 200)).toEqual([]);
});

test("tags are compared with the kept response, but never telemetry's, and some paths are refused", async () => {
  const world = distribution();
  const reply = { status: 200, headers: { etag: '"a,b"' }, body: "{}" };
  await putResponse(world.store, PROCESS_KEY, reply);
  await putResponse(world.store, TELEMETRY_KEY, reply);
  const conditions = { "If-None-Match": '"a,b"', "If-Match": '"x"', Range: "bytes=0-0" };
  expect((await world.get("/v4/public/process", conditions)).status).toBe(304);
  expect((await world.get("/v1/public/telemetry", conditions)).status).toBe(200);
  for (const url of [
    "/readyz",
    "/v4/public/..",
    "/v4/./public/process",
    "/v4/%2e%2E/v4/public/process",
    "/v4\\public/process",
  ])
    expect(await world.get(url, conditions)).toMatchObject({ status: 404, body: '{"error":"not_found"}' });
});
