import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allScripts } from "../../support/scripts/all-scripts.ts";
import { runScript, type ScriptControl } from "../../support/scripts/run-http-script.ts";
import { addressTarget, TRANSPORT_HEADERS } from "../../support/scripts/script-targets.ts";
import { scriptWorld } from "../../support/scripts/script-world.ts";
import { workerBundle } from "./worker-bundle.ts";

let workerd: Miniflare;
let address: { hostname: string; port: number };

beforeAll(async () => {
  workerd = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script: await workerBundle('export { default } from "../../support/workerd-world.ts";'),
    compatibilityDate: "2026-07-01",
  });
  const { hostname, port } = await workerd.ready;
  address = { hostname, port: Number(port) };
});
afterAll(() => workerd.dispose());

function remoteControl(): ScriptControl {
  const post = async (what: string, value = "") => {
    await workerd.dispatchFetch(`http://shim/control/${what}?value=${encodeURIComponent(value)}`, { method: "POST" });
  };
  return {
    setClock: (ms) => post("clock", String(ms)),
    deleteObject: (key) => post("delete-object", key),
    failStore: () => post("fail-store"),
    restore: () => post("restore"),
  };
}

for (const { name, blocks } of allScripts()) {
  test(`${name} on workerd`, async () => {
    const { object } = await scriptWorld();
    const target = addressTarget(address, { object, control: remoteControl() }, TRANSPORT_HEADERS);
    expect(await runScript(blocks, target)).toMatchObject({ differences: [], skipped: [] });
  });
}

test("the shim's core has no driver, no schema library and no Node module", async () => {
  const script = await workerBundle('export { webHandler } from "../../../src/shim/web-handler.ts";');
  expect(script).not.toContain("node:");
  // Each of them is larger than what is left below the limit.
  expect(gzipSync(script).length).toBeLessThan(11_000);
});
