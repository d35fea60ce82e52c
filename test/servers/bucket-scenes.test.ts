/**
 * Scenes over a bucket only: requests that arrive late or between others, and a damaged head. Nothing published goes
 * back.
 */
import { expect, it } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "../regressions/scene.ts";
import { stop, until } from "../support/processes.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { useS3Server } from "./use-servers.ts";

const server = useS3Server();
/** A proxy in front of the bucket, for the s3Endpoint setting of the process whose requests a scene holds back. */
const proxied = () => startFaultProxy(server().endpoint);

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
