/** Publishers (design 1, 6 and 8) as real processes on a real bucket, and one reader of one cache in front of it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { TELEMETRY_KEY } from "../../src/http/keys.ts";
import { putAnswer } from "../support/publish-answer.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { until } from "./processes.ts";
import { allowReading } from "./published-world.ts";
import { useCredentials, withCommands } from "./publishers.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { makeBucket } from "./s3-store.ts";
import { openScene, type TakeoverScene } from "./takeover-scene.ts";

const TAKEOVER_MS = 20_000;
const PATIENCE = { timeout: 120_000 };
const WITHOUT_LEDGER = ["--ledger", "none", "--installation-id", "wheel-1"];
const PUT_OF_TELEMETRY = /^PUT \S+\/v1\/public\/telemetry\b/;

let server: S3Server;
beforeAll(async () => {
  server = await startRadosgw();
  await makeBucket(server);
  await allowReading(server);
  useCredentials(server);
});
afterAll(() => server?.stop());

async function inScene(play: (scene: TakeoverScene) => Promise<void>): Promise<void> {
  const scene = await openScene(server);
  try {
    await play(scene);
    expect(scene.complaints()).toEqual([]);
  } finally {
    await scene.end();
  }
}

test.concurrent("a standby takes over within 20 s of a SIGKILL, and publishes the next receipt", PATIENCE, () =>
  inScene(async (scene) => {
    const active = await scene.active();
    await scene.standby();
    const died = performance.now();
    active.process.kill("SIGKILL");
    const next = scene.receive();
    await scene.takenOver();
    expect(performance.now() - died).toBeLessThan(TAKEOVER_MS);
    await scene.readerSees(next);
  }),
);

test.concurrent("a holder that wakes up after it was taken over puts and deletes nothing", PATIENCE, () =>
  inScene(async (scene) => {
    const proxy = await startFaultProxy(server.endpoint);
    try {
      const old = await scene.active(proxy.endpoint);
      const successor = await scene.standby();
      // It is stopped with a put on its way, which reaches the store only after the successor's.
      const late = proxy.hold(PUT_OF_TELEMETRY);
      scene.receive();
      await late.arrived;
      old.process.kill("SIGSTOP");
      await scene.takenOver();
      await scene.readerSees(scene.receive());
      const standing = await scene.store.get(TELEMETRY_KEY);
      const judged = proxy.answered.length;
      late.letGo();
      await until("the late put is judged", async () => proxy.answered.length > judged);
      expect(proxy.answered.slice(judged)).toEqual([expect.stringMatching(/^PUT \S+telemetry\S* 412$/)]);
      expect(await scene.store.get(TELEMETRY_KEY)).toEqual(standing);

      const woken = proxy.answered.length;
      old.process.kill("SIGCONT");
      expect([await old.ended, old.output()]).toEqual([75, expect.stringContaining("noonmark: lease_lost: ")]);
      const changes = proxy.answered.slice(woken).filter((line) => !line.startsWith("GET "));
      // All that it tried: to renew its lease, on the condition that it still held it.
      expect(changes.filter((line) => !/^PUT \S+\/status\.json\S* 412$/.test(line))).toEqual([]);
      await scene.readerSees(scene.receive());
      expect(successor.process.exitCode).toBeNull();
    } finally {
      await proxy.stop();
    }
  }),
);

test.concurrent("a store that does not answer for a while ends neither the holder nor its standby", PATIENCE, () =>
  inScene(async (scene) => {
    const proxies = [await startFaultProxy(server.endpoint), await startFaultProxy(server.endpoint)] as const;
    try {
      const both = [await scene.active(proxies[0].endpoint), await scene.standby(proxies[1].endpoint)];
      for (const proxy of proxies) proxy.otherwise = { status: 503, code: "SlowDown" };
      await until("both notice", async () =>
        both.every(({ output }) => output().includes("the store does not answer")),
      );
      for (const proxy of proxies) proxy.otherwise = "pass";
      await scene.readerSees(scene.receive());
      expect(both.map(({ process }) => process.exitCode)).toEqual([null, null]);
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    }
  }),
);

test.concurrent("a publisher whose clock turns out wrong by more than a minute stops", PATIENCE, async () => {
  await withCommands(server, async ({ proxy, start }) => {
    const publisher = start("publish", ...WITHOUT_LEDGER);
    await until("it publishes", async () => publisher.output().includes('"msg":"cycle"'));
    const before = proxy.answered.length;
    proxy.dateShiftMs = -90_000;
    expect([await publisher.ended, publisher.output()]).toEqual([
      1,
      expect.stringMatching(/noonmark: clock_skew: this host's clock is (?:89|90) s ahead of that of s3:/),
    ]);
    expect(proxy.answered.slice(before).filter((line) => !/^(?:GET|HEAD) /.test(line))).toEqual([]);
  });
});

test.concurrent("a wrong clock is told from two seconds on, and takes no lease beyond a minute", PATIENCE, async () => {
  await withCommands(server, async ({ proxy, start }) => {
    proxy.dateShiftMs = 90_000;
    const refused = start("publish", "--once", ...WITHOUT_LEDGER);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(/^noonmark: clock_skew: this host's clock is (?:89|90|91) s behind that of s3:/);
    expect(proxy.seen.filter((line) => line.startsWith("PUT") && !line.includes("/probe/"))).toEqual([]);

    proxy.dateShiftMs = 30_000;
    expect(await start("publish", "--once", ...WITHOUT_LEDGER).ended).toBe(0);
    const status = start("status", "--json");
    expect(await status.ended).toBe(0);
    const { clockSkewMs } = JSON.parse(status.output()) as { clockSkewMs: number };
    expect(Math.abs(clockSkewMs + 30_000)).toBeLessThan(2_000);

    proxy.dateShiftMs = 0;
    expect(await start("publish", "--once", ...WITHOUT_LEDGER).ended).toBe(0);
    const right = start("status", "--json");
    expect(await right.ended).toBe(0);
    expect(JSON.parse(right.output())).toMatchObject({ clockSkewMs: null });
  });
});

test.concurrent("the shim measures its clock too, and answers by the store's", PATIENCE, async () => {
  await withCommands(server, async ({ proxy, start, store }) => {
    const successors = [{ from: Date.now() + 45_000, edits: [{ offset: 1, length: 3, text: "next" }] }];
    await putAnswer(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"now"' }, successors);
    proxy.dateShiftMs = 90_000;
    const serve = start("serve", "--port", "0");
    let url = "";
    await until("it serves", async () => (url = /http:\/\/127\.0\.0\.1:\d+/.exec(serve.output())?.[0] ?? "") !== "");
    const { clockSkewMs } = (await (await fetch(`${url}/readyz`)).json()) as { clockSkewMs: number };
    expect(Math.abs(clockSkewMs + 90_000)).toBeLessThan(2_000);
    expect(await (await fetch(`${url}/v1/public/telemetry`)).text()).toBe('"next"');
  });
});
