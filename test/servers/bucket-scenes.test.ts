/** Scenes over a bucket only: requests that arrive late or between others, and a damaged head. Nothing published goes back. */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "../regressions/scene.ts";
import { stage } from "../support/chain/harness.ts";
import { stop, until } from "../support/processes.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { useS3Server } from "./use-servers.ts";

const server = useS3Server();
/** A proxy in front of the bucket, for the s3Endpoint setting of the process whose requests a scene holds back. */
const proxied = () => startFaultProxy(server().endpoint);

const ONCHAIN_PUT = /^PUT .*\/v4\/public\/onchain(\?| |$)/;

it.skipIf(NO_ANVIL !== undefined)("a late put is found by the next run, although nothing has changed", async () => {
  const proxy = await proxied();
  await using on = await stage();
  await using scene = new Scene({ ledger: "none" }, server());
  delete scene.settings.genesisTimestamp;
  writeFileSync(scene.file("deployment.json"), JSON.stringify(on.world.deployment));
  const { s3Endpoint } = scene.settings;
  const withChain = { deployment: "deployment.json", rpcUrl: on.anvil.url };
  const publish = async (endpoint: unknown, chain: object) => {
    for (const name of Object.keys(withChain)) delete scene.settings[name];
    Object.assign(scene.settings, chain, { s3Endpoint: endpoint });
    const { exitCode, stderr } = await scene.run("publish", "--once");
    expect(exitCode, stderr).toBe(0);
    return (await scene.read("/v4/public/onchain", 0)).body.chain?.safeThroughBlock ?? "unavailable";
  };
  await on.world.confirm();
  expect(await publish(s3Endpoint, {})).toBe("unavailable");
  // The first attempt of this put does not arrive in time. Its publisher tries again and continues.
  const late = proxy.hold(ONCHAIN_PUT);
  const published = Number(await publish(proxy.endpoint, withChain));
  expect(published).toBeGreaterThan(0);
  await late.arrived;
  await on.world.mine(10);
  expect(Number(await publish(s3Endpoint, withChain))).toBe(published + 10);
  expect(await publish(s3Endpoint, {})).toBe("unavailable");
  const responses = proxy.answered.filter((line) => ONCHAIN_PUT.test(line)).length;
  late.letGo();
  await until("the late put gets its response", async () => {
    return proxy.answered.filter((line) => ONCHAIN_PUT.test(line)).length > responses;
  });
  await proxy.stop();
  expect(await publish(s3Endpoint, {})).toBe("unavailable");
});

it("if two standbys see a release, the later one keeps waiting", async () => {
  await using scene = new Scene({ ledger: "none" }, server());
  const proxies = [await proxied(), await proxied()];
  const holder = scene.start("publish", "--state", "holder", "--log-format", "json");
  await said(holder, '"msg":"publishing"');
  const standbys: Child[] = [];
  for (const { endpoint } of proxies) {
    scene.settings.s3Endpoint = endpoint;
    const standby = scene.start("publish", "--state", `standby-${standbys.length}`, "--log-format", "json");
    await said(standby, '"msg":"standby: ');
    standbys.push(standby);
  }
  const takes = proxies.map((proxy) => proxy.hold(/^PUT .*\/private\/head\.json\b/, Infinity));
  holder.kill("SIGTERM");
  await Promise.all(takes.map(({ arrived }) => arrived));
  const before = proxies.map(({ seen }) => seen.length);
  for (const take of takes) take.letGo();
  // One publishes and the other polls the lease again: each sends more requests than a process that exits.
  const isEnded = () => standbys.some(({ exitCode }) => exitCode !== null);
  const areAtWork = () => proxies.every(({ seen }, index) => seen.length >= (before[index] ?? 0) + 8);
  await until("both go on, or one ends", async () => isEnded() || areAtWork());
  const exitCodes = standbys.map(({ exitCode }) => exitCode);
  for (const child of [...standbys, holder]) await stop(child);
  for (const proxy of proxies) await proxy.stop();
  expect(exitCodes).toEqual([null, null]);
});

it("a damaged head is watched for 20 s and then refused; a new one continues after the stored log", async () => {
  await using scene = new Scene({}, server());
  await scene.ingest([receipt(1), receipt(2), receipt(3)]);
  await scene.published(10);
  const text = async (key: string) => new TextDecoder().decode((await scene.object(key)).body);
  const index = await text("installations");
  for (const key of ["private/head.json", "installations"]) await scene.damage(key);
  scene.loseState();
  await scene.ingest([receipt(4)]);
  const started = performance.now();
  const lost = { exitCode: 74, stderr: expect.stringContaining("noonmark: head_lost: private/head.json") };
  expect(await scene.publish(20)).toMatchObject(lost);
  expect(performance.now() - started).toBeGreaterThan(20_000);
  await scene.published(30, "--new-head");
  expect(await text("installations")).toBe(index);
  expect(await text("v1/public/telemetry")).toContain('"cumulativeWorkUnits":"40"');
});

type Child = ReturnType<Scene["start"]>;

function said(child: Child, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    child.stderr.on("data", (data: Buffer) => {
      log += data.toString();
      if (log.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(log)));
  });
}
