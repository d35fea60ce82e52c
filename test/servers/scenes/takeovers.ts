/**
 * Active and standby publishers (docs/spec/publishing.md#one-writer) as real processes on a real bucket, with one
 * reader through one cache.
 */
import { expect, test } from "vitest";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { until } from "../../support/processes.ts";
import { startFaultProxy } from "../fault-proxy.ts";
import { startNginx } from "../nginx.ts";
import type { S3Server } from "../radosgw.ts";
import { startVarnish } from "../varnish.ts";
import { openScene, type TakeoverScene } from "./takeover-scene.ts";

const PUT_OF_TELEMETRY = /^PUT \S+\/v1\/public\/telemetry\b/;

export function testTakeovers(server: () => S3Server): void {
  test.concurrent("a standby takes over after a SIGKILL, and publishes the next receipt", () =>
    inScene(server(), startVarnish, async (scene) => {
      const active = await scene.active();
      await scene.standby();
      active.process.kill("SIGKILL");
      const next = scene.receive();
      await scene.takenOver();
      await scene.readerSees(next);
    }));

  test.concurrent("a holder that resumes after a takeover puts and deletes nothing", () =>
    inScene(server(), startNginx, async (scene) => {
      const proxy = await startFaultProxy(server().endpoint);
      try {
        const old = await scene.active(proxy.endpoint);
        const successor = await scene.standby();
        // It is stopped during a put that reaches the store only after the successor's.
        const late = proxy.hold(PUT_OF_TELEMETRY);
        scene.receive();
        await late.arrived;
        old.process.kill("SIGSTOP");
        await scene.takenOver();
        await scene.readerSees(scene.receive());
        const standing = await scene.store.get(TELEMETRY_KEY);
        const judged = proxy.answered.length;
        late.letGo();
        await until("the late put is evaluated", async () => proxy.answered.length > judged);
        expect(proxy.answered.slice(judged)).toEqual([expect.stringMatching(/^PUT \S+telemetry\S* 412$/)]);
        expect(await scene.store.get(TELEMETRY_KEY)).toEqual(standing);

        const requestsBefore = proxy.answered.length;
        old.process.kill("SIGCONT");
        expect([await old.ended, old.output()]).toEqual([75, expect.stringContaining('"code":"lease_lost"')]);
        const changes = proxy.answered.slice(requestsBefore).filter((line) => !line.startsWith("GET "));
        // Its lease renewal, or a put that waited for a connection. Both are rejected, because their conditions no
        // longer hold.
        expect(changes.filter((line) => !/^PUT \S+ 412$/.test(line))).toEqual([]);
        await scene.readerSees(scene.receive());
        expect(successor.process.exitCode).toBeNull();
      } finally {
        await proxy.stop();
      }
    }));

  test.concurrent("a store that does not respond for a while ends neither the holder nor its standby", () =>
    inScene(server(), startVarnish, async (scene) => {
      const proxies = [await startFaultProxy(server().endpoint), await startFaultProxy(server().endpoint)] as const;
      try {
        const both = [await scene.active(proxies[0].endpoint), await scene.standby(proxies[1].endpoint)];
        for (const proxy of proxies) proxy.otherwise = { status: 503, code: "SlowDown" };
        await until("both notice", async () =>
          both.every(({ output }) => output().includes("the store does not respond")),
        );
        for (const proxy of proxies) proxy.otherwise = "pass";
        await scene.readerSees(scene.receive());
        expect(both.map(({ process }) => process.exitCode)).toEqual([null, null]);
      } finally {
        await Promise.all(proxies.map((proxy) => proxy.stop()));
      }
    }));
}

async function inScene(
  server: S3Server,
  startFront: Parameters<typeof openScene>[1],
  play: (scene: TakeoverScene) => Promise<void>,
): Promise<void> {
  const scene = await openScene(server, startFront);
  try {
    await play(scene);
    expect(scene.complaints()).toEqual([]);
  } finally {
    await scene.end();
  }
}
