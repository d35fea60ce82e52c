/** `noonmark verify` over the Worker on workerd, with its R2 filled by a publisher. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";
import { type FullWorld, fullWorld } from "../../verify/support/full-world.ts";
import { startWorker } from "../worker.ts";

let full: FullWorld;
let worker: Awaited<ReturnType<typeof startWorker>>;
beforeAll(async () => {
  worker = await startWorker();
  full = await fullWorld(Date.now());
  for await (const key of full.world.store.list("")) {
    const object = await full.world.store.get(key);
    if (object !== undefined) await worker.store.put(key, object);
  }
});
afterAll(async () => {
  await worker?.stop();
  full?.world.end();
});

/**
 * Miniflare's own listener compresses the Worker's response without weakening the tag and without Vary. Cloudflare
 * weakens the tag. The Worker controls neither.
 */
const MINIFLARES_OWN = /^FAIL edge\/encoding /;

test("verify finds nothing in the Worker", async () => {
  const { stdout, stderr } = await runCli(
    ["verify", `http://127.0.0.1:${worker.port}`, "--qps", "200"],
    full.world.folder,
  );
  const lines = stdout.split("\n").filter((line) => line.startsWith("FAIL"));
  expect(lines.filter((line) => !MINIFLARES_OWN.test(line))).toEqual([]);
  expect(stdout).toMatch(/^\d+ checks, \d+ findings, \d+ skipped$/m);
  expect(stderr).toBe("");
});
