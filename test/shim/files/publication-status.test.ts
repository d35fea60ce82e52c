import { expect, test } from "vitest";
import { headObject } from "../../../publish/head/head.ts";
import { HEAD_KEY } from "../../../src/http/keys.ts";
import { publicationStatusSchema } from "../../../src/resources/publication-status/contract.ts";
import { respond } from "../../../src/shim/respond.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { scriptWorld, type WorldStore } from "../../support/scripts/script-world.ts";
import { worldHead } from "../../support/world.ts";

function memory(): WorldStore & { readonly writer: MemoryStore } {
  const store = new MemoryStore();
  return { writer: store, reader: store, fail: () => store.fail(), recover: () => {} };
}

test("the status passes its schema and does not show the lease's holder", async () => {
  const { context } = await scriptWorld(memory());
  const { status, body } = await respond({ method: "GET", url: "/status.json" }, context);
  expect(status).toBe(200);
  const parsed = publicationStatusSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  expect(parsed).toEqual({
    schemaVersion: 1,
    installationId: "wheel-1",
    now: "2026-11-20T10:00:00.000Z",
    publisher: {
      state: "live",
      renewedAt: "2026-11-20T09:59:55.000Z",
      lastCycleAt: "2026-11-20T09:59:55.000Z",
      nextCycleAt: null,
    },
    log: {
      size: 300,
      root: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
      origin: "wheel.example/log",
      verifierKey: ["wheel.example+01020304+AQ"],
    },
    deploymentHash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    responses: {
      "/v1/public/telemetry": {
        asOf: "2026-11-20T09:59:55.000Z",
        status: 200,
        nextChangeAt: null,
        etag: '"t-1"',
        logSize: 300,
        safeBlock: null,
        program: "0.1.0",
      },
    },
    sources: {
      ledger: { status: "followed", newestReceiptAt: "2026-11-20T09:59:55.000Z" },
      chain: { status: "disabled", indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null },
    },
  });
});

test("the head of a publisher without a site gives no status", async () => {
  const store = memory();
  const { context } = await scriptWorld(store);
  await store.writer.put(HEAD_KEY, headObject({ ...worldHead(0), responses: {} }));
  expect(await respond({ method: "GET", url: "/status.json" }, context)).toMatchObject({ status: 404 });
});

test("a status of another deployment has only known URLs, and programs that are versions", async () => {
  const { context } = await scriptWorld(memory());
  const { body } = await respond({ method: "GET", url: "/status.json" }, context);
  const status = JSON.parse(new TextDecoder().decode(body));
  const one = status.responses["/v1/public/telemetry"];
  const isValid = (responses: unknown) => publicationStatusSchema.safeParse({ ...status, responses }).success;
  for (const program of ["", "1.2.3", "1.2.3-beta.1+x"]) {
    expect(isValid({ "/v2/public/stats?range=7d": { ...one, program } })).toBe(true);
  }
  for (const program of ["9", "1.2.3\u001b[31m", "1.2.3\n0 findings"]) {
    expect(isValid({ "/v1/public/telemetry": { ...one, program } })).toBe(false);
  }
  for (const url of ["/v2/public/stats?x\u001b[2J", "/v2/public/stats?1", "/v1/public/telemetry\n", "/status.json"]) {
    expect(isValid({ [url]: one })).toBe(false);
  }
});
