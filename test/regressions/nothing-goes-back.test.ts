/** Nothing goes back, and damage is repaired (docs/spec/publishing.md#nothing-goes-back, #damage). */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { readLease } from "../../publish/lease/lease-record.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { instant, module, oracle, receipt } from "../ledger/samples.ts";
import { stage } from "../support/chain/harness.ts";
import { scriptedRpc } from "../support/chain/scripted-rpc.ts";
import { Scene } from "./scene.ts";

const TELEMETRY = "v1/public/telemetry";
const PROCESS = "v4/public/process";
const TILE = observationTileKey("wheel-1", 1, 0);
const DAY = 86_400_000;

const receipts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => receipt(from + index));
const text = async (scene: Scene, key: string) => new TextDecoder().decode((await scene.object(key)).body);
const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

it("an older ledger in place of the published one exits 1 in every mode and takes nothing back", async () => {
  await using scene = new Scene();
  await scene.ingest([
    ...receipts(1, 20),
    module({ observedAt: instant(0) }),
    oracle({ at: instant(0), blockedReason: null }),
  ]);
  scene.copyLedger("ledger.db", "older.db");
  await scene.ingest([
    module({ observedAt: instant(30), instanceId: "encoder-1", state: "faulted" }),
    oracle({ at: instant(30), blockedReason: "paused" }),
  ]);
  await scene.published(70);
  const published = () => Promise.all(["v1/public/modules", PROCESS].map((key) => text(scene, key)));
  const before = await published();
  scene.copyLedger("older.db", "ledger.db");
  for (const more of [[], ["--only", "process"], ["--force"], ["--state", "lost"]]) {
    const { exitCode, stderr } = await scene.publish(80, ...more);
    expect([more, exitCode], stderr).toEqual([more, 1]);
    expect(stderr).toContain("noonmark: ledger_behind: log 1 was published with 24 entries");
  }
  expect(await published()).toEqual(before);
  const { stdout } = await scene.run("status", "--json");
  expect(JSON.parse(stdout).report.failures).toMatchObject([{ code: "ledger_behind" }]);
});

it("after lost state nothing is put again", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 200));
  const versions = async () => {
    const found: unknown[] = [];
    for (const key of await scene.keys("")) {
      if (!key.endsWith("status.json")) found.push([key, (await scene.object(key)).metadata["source-version"]]);
    }
    return found;
  };
  await scene.published(700);
  const before = await versions();
  scene.loseState();
  await scene.published(700);
  expect(await versions()).toEqual(before);
});

it("--at a year ahead is rejected, and can be forced only in a new store", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 3));
  const ahead = ["publish", "--once", "--at", isoIn(365 * DAY)];
  const refused = { exitCode: 2, stderr: expect.stringContaining("at_in_future") };
  expect(await scene.run(...ahead)).toMatchObject(refused);
  expect((await scene.run("publish", "--once")).exitCode).toBe(0);
  for (const more of [[], ["--force"]]) expect(await scene.run(...ahead, ...more)).toMatchObject(refused);
  for (const key of await scene.keys("")) await scene.store.delete(key);
  scene.loseState();
  expect((await scene.run(...ahead, "--force")).exitCode).toBe(0);
  const behind = { exitCode: 1, stderr: expect.stringContaining("clock_behind") };
  expect(await scene.run("publish", "--once")).toMatchObject(behind);
  expect(await scene.run("status", "--max-age", "60")).toMatchObject(behind);
});

it("after status.json and the state are deleted the next run publishes with a higher epoch", async () => {
  await using scene = new Scene();
  const epoch = async () => (await readLease(scene.store))?.record.epoch;
  for (const n of [1, 2, 3]) {
    await scene.ingest([receipt(n)]);
    await scene.published(10 + n);
  }
  expect(await epoch()).toBe(3);
  await scene.store.delete("status.json");
  scene.loseState();
  await scene.ingest(receipts(4, 5));
  expect(await scene.publish(20)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await text(scene, TELEMETRY)).toContain('"cumulativeWorkUnits":"50"');
  expect(await epoch()).toBeGreaterThan(3);
});

it("a damaged response is rewritten after lost state, and reported in one line", async () => {
  await using scene = new Scene();
  await scene.ingest([...receipts(1, 3), receipt(1, { installationId: "wheel-2" })]);
  await scene.published(10);
  const key = "v1/public/installations/~wheel-2/telemetry";
  const whole = await text(scene, key);
  await scene.damage(key);
  scene.loseState();
  await scene.ingest([receipt(4)]);
  const { exitCode, stderr } = await scene.publish(20);
  expect([exitCode, stderr.split("\n").length, stderr]).toEqual([0, 2, expect.stringContaining(key)]);
  expect(await text(scene, TELEMETRY)).toContain('"cumulativeWorkUnits":"40"');
  expect((await text(scene, key)).length).toBe(whole.length);
});

it("fsck finds objects that another tool damaged by key, and --repair restores them", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 200));
  expect((await scene.run("publish", "--once")).exitCode).toBe(0);
  const whole = [await text(scene, TILE), JSON.parse(await text(scene, PROCESS)).revision];
  for (const key of [TILE, PROCESS]) await scene.damage(key);
  const found = await scene.run("fsck");
  expect(found.exitCode).toBe(1);
  for (const key of [TILE, PROCESS]) expect(found.stdout).toContain(`FAIL damaged ${key}: `);
  const repaired = await scene.run("fsck", "--repair");
  expect(repaired).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 0 findings, 2 repaired\n$/) });
  expect([await text(scene, TILE), JSON.parse(await text(scene, PROCESS)).revision]).toEqual(whole);
});

it.skipIf(NO_ANVIL !== undefined)(
  `a takeover with a node 20 blocks behind keeps the safe block and continues once the node has caught up ${NO_ANVIL ?? ""}`,
  async () => {
    await using on = await stage();
    await using node = await scriptedRpc(on.anvil.url);
    await using scene = new Scene({ ledger: "none", deployment: "deployment.json", rpcUrl: node.url });
    delete scene.settings.genesisTimestamp;
    writeFileSync(scene.file("deployment.json"), JSON.stringify(on.world.deployment));
    const publish = () => scene.run("publish", "--once");
    const safe = async () => Number(JSON.parse(await text(scene, "v4/public/onchain")).chain?.safeThroughBlock);
    await on.world.mine(60);
    const head = BigInt(await on.world.head());
    expect(await publish()).toMatchObject({ exitCode: 0 });
    const before = await safe();
    expect(before).toBeGreaterThan(0);
    node.script = ({ method, params }) => {
      if (method === "eth_blockNumber") return { result: `0x${(head - 20n).toString(16)}` };
      const isAbove = method === "eth_getBlockByNumber" && BigInt(params[0] as string) > head - 20n;
      return isAbove ? { result: null } : undefined;
    };
    scene.loseState();
    expect(await publish()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("noonmark: chain_behind: ") });
    expect(await safe()).toBe(before);
    await on.world.mine(20);
    node.script = () => undefined;
    expect(await publish()).toMatchObject({ exitCode: 0 });
    expect(await safe()).toBeGreaterThan(before);
  },
);
