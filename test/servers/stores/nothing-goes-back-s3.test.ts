/**
 * Nothing goes back, and damage is repaired, on a real bucket (docs/spec/publishing.md#nothing-goes-back, #damage): the
 * scenes of test/end-to-end/nothing-goes-back.test.ts that depend on the store.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { readLease } from "../../../publish/lease/lease-record.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { observationTileKey } from "../../../src/resources/observations/route.ts";
import { receipt } from "../../ledger/samples.ts";
import { stage } from "../../support/chain/harness.ts";
import { scriptedRpc } from "../../support/chain/scripted-rpc.ts";
import { type Finished, runCli } from "../../support/cli.ts";
import { type S3Server, startRadosgw } from "../radosgw.ts";
import { clientSettings, damageObject, makeBucket, s3Store } from "./s3-store.ts";

let server: S3Server;
let root: string;
beforeAll(async () => {
  server = await startRadosgw();
  await makeBucket(server);
  root = mkdtempSync(join(tmpdir(), "noonmark-s3-scenes-"));
  // The SDK's own chain: credentials are no setting of ours.
  process.env.AWS_ACCESS_KEY_ID = server.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = server.secretAccessKey;
});
afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

let store: S3Store;
let folder: string;
let settings: Record<string, unknown>;
beforeEach(() => {
  folder = mkdtempSync(join(root, "scene-"));
  store = s3Store(server);
  settings = {
    installationId: "wheel-1",
    ledger: "ledger.db",
    state: "state",
    store: store.name,
    s3Provider: "ceph",
    s3Endpoint: server.endpoint,
    site: false,
    // 2026-11-20T10:00:00Z
    genesisTimestamp: 1_795_168_800,
  };
});

function run(...args: string[]): Promise<Finished> {
  writeFileSync(join(folder, "noonmark.json"), JSON.stringify(settings));
  return runCli(args, folder);
}

const publish = (...args: string[]) => run("publish", "--once", ...args);
const loseState = () => rmSync(join(folder, "state"), { recursive: true });
const text = async (key: string) => new TextDecoder().decode((await store.get(key))?.body);
const epoch = async () => (await readLease(store))?.record.epoch ?? 0;

async function ingest(from: number, to: number, ...flags: string[]): Promise<void> {
  const lines = Array.from({ length: to - from + 1 }, (_, index) => `${JSON.stringify(receipt(from + index))}\n`);
  writeFileSync(join(folder, "facts.ndjson"), lines.join(""));
  expect(await run("ingest", ...flags, "facts.ndjson")).toMatchObject({ exitCode: 0 });
}

const TELEMETRY = "v1/public/telemetry";
const TILE = observationTileKey("wheel-1", "1", 0);

test("after a lost state nothing is put again, and an older ledger takes nothing back", async () => {
  await ingest(1, 200);
  expect(await publish()).toMatchObject({ exitCode: 0, stderr: "" });
  const before = new Map<string, string | undefined>();
  for await (const key of store.list("")) before.set(key, (await store.get(key))?.metadata.asof);
  loseState();
  expect(await publish()).toMatchObject({ exitCode: 0, stderr: "" });
  for await (const key of store.list("")) {
    if (!key.endsWith("status.json")) expect((await store.get(key))?.metadata.asof).toBe(before.get(key));
  }
  settings = { ...settings, ledger: "older.db" };
  // It is behind what is published: ingest asks first.
  await ingest(1, 100, "--yes");
  loseState();
  const older = await publish();
  expect([older.exitCode, older.stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: wheel-1 was")]);
  expect(await text(TELEMETRY)).toContain('"cumulativeWorkUnits":"2000"');
});

test("after status.json and the state are deleted the next run publishes with an epoch above the objects'", async () => {
  for (const n of [1, 2, 3]) {
    await ingest(n, n);
    expect(await publish()).toMatchObject({ exitCode: 0 });
  }
  expect(await epoch()).toBe(3);
  await store.delete("status.json");
  loseState();
  await ingest(4, 5);
  expect(await publish()).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await text(TELEMETRY)).toContain('"cumulativeWorkUnits":"50"');
  expect(await epoch()).toBeGreaterThan(3);
});

test("objects that another tool changed are found by key, and restored by --repair", async () => {
  await ingest(1, 200);
  expect(await publish()).toMatchObject({ exitCode: 0 });
  const whole = [await text(TILE), await text("v4/public/process")];
  await damageObject(clientSettings(server), store, TILE, Buffer.from("cut"));
  await damageObject(clientSettings(server), store, "v4/public/process", Buffer.from("{}"));
  const found = await run("fsck");
  expect(found.exitCode).toBe(1);
  for (const key of [TILE, "v4/public/process"]) expect(found.stdout).toContain(`FAIL damaged ${key}: `);
  const repaired = await run("fsck", "--repair");
  expect(repaired).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 0 findings, 2 repaired\n$/) });
  expect(await text(TILE)).toBe(whole[0]);
  expect(JSON.parse(await text("v4/public/process")).revision).toBe(JSON.parse(whole[1] ?? "").revision);
});

test("a damaged lease object is watched for 34 s and taken; a damaged index is rewritten with it", {
  timeout: 90_000,
}, async () => {
  await ingest(1, 3);
  expect(await publish()).toMatchObject({ exitCode: 0 });
  const index = await text("installations");
  await damageObject(clientSettings(server), store, "status.json", Buffer.from("<html>"));
  await damageObject(clientSettings(server), store, "installations", Buffer.from("{}"));
  loseState();
  await ingest(4, 4);
  const started = performance.now();
  const ran = await publish();
  expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("warning: lease_unreadable: status.json") });
  expect(performance.now() - started).toBeGreaterThan(34_000);
  expect(await text("installations")).toBe(index);
  expect(await text(TELEMETRY)).toContain('"cumulativeWorkUnits":"40"');
  expect(await run("fsck")).toMatchObject({ exitCode: 0 });
});

describe.skipIf(NO_ANVIL !== undefined)(`over a chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("a takeover with a node 20 blocks behind keeps the safe block, reports it, and continues once the node caught up", async () => {
    await using on = await stage();
    await using node = await scriptedRpc(on.anvil.url);
    const { genesisTimestamp: _, ...rest } = settings;
    settings = { ...rest, ledger: "none", deployment: "deployment.json", rpcUrl: node.url };
    writeFileSync(join(folder, "deployment.json"), JSON.stringify(on.world.deployment));
    await on.world.mine(60);
    const head = BigInt(await on.world.head());
    expect(await publish()).toMatchObject({ exitCode: 0 });
    const safe = async () => Number(JSON.parse(await text("v4/public/onchain")).chain?.safeThroughBlock);
    const before = await safe();
    expect(before).toBeGreaterThan(0);
    node.script = ({ method, params }) => {
      if (method === "eth_blockNumber") return { result: `0x${(head - 20n).toString(16)}` };
      const isAbove = method === "eth_getBlockByNumber" && BigInt(params[0] as string) > head - 20n;
      return isAbove ? { result: null } : undefined;
    };
    loseState();
    const behind = await publish();
    expect([behind.exitCode, behind.stderr]).toEqual([1, expect.stringContaining("noonmark: chain_behind: ")]);
    expect(await safe()).toBe(before);
    await on.world.mine(20);
    node.script = () => undefined;
    expect(await publish()).toMatchObject({ exitCode: 0 });
    expect(await safe()).toBeGreaterThan(before);
  });
});

test("the lease object has none of the private status", async () => {
  await ingest(1, 1);
  expect(await publish()).toMatchObject({ exitCode: 0 });
  const lease = await text("status.json");
  expect(lease).not.toContain("ledger.db");
  expect(JSON.parse(await text("private/status.json"))).toMatchObject({ sources: { ledger: "ledger.db" } });
});
