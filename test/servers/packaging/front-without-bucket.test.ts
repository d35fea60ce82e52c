/** Varnish as in packaging/docker/compose.yaml: without a bucket, only the shim behind it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { putLiveWorld } from "../../support/world.ts";
import { startVarnish } from "../varnish.ts";

const PROCESS = "/v4/public/process";
const DURING_MS = 2_000;

test("readers get the shim's responses, which Varnish requests about once a second", async () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-no-bucket-"));
  const store = new FilesystemStore(folder, { write: true });
  await putLiveWorld(store);
  let requests = 0;
  const monotonic = () => performance.now();
  const context = shimContext({
    store,
    now: Date.now,
    monotonic,
    lifetimeHeader: "cdn-cache-control",
    onResponse: () => void requests++,
  });
  const shim = await startServer(context, {
    host: "127.0.0.1",
    port: 0,
    wallClock: Date.now,
    defect: (error) => {
      throw error;
    },
  });
  const origin = { host: "127.0.0.1", port: shim.port };
  const front = await startVarnish({ bucket: { ...origin, path: "/no-bucket/" }, shim: origin });
  try {
    const url = `http://127.0.0.1:${front.port}`;
    for (const path of [PROCESS, "/v1/public/telemetry", "/v2/public/stats?range=7d"]) {
      const [through, direct] = await Promise.all([fetch(url + path), fetch(`http://127.0.0.1:${shim.port}${path}`)]);
      expect([through.status, await through.text()]).toEqual([direct.status, await direct.text()]);
    }
    requests = 0;
    let answers = 0;
    const began = performance.now();
    for (; performance.now() < began + DURING_MS; answers++) {
      const answer = await fetch(url + PROCESS);
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    expect(answers).toBeGreaterThan(0);
    // Every 2 s a probe looks for the bucket.
    expect(requests).toBeLessThanOrEqual(2 * (seconds + 1));
  } finally {
    await front.stop();
    await shim.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
