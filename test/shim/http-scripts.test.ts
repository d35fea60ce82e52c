import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../../src/shim/node/node-server.ts";
import { directoryWorld } from "../support/directory-world.ts";
import { allScripts } from "../support/scripts/all-scripts.ts";
import { runScript, type ScriptTarget } from "../support/scripts/run-http-script.ts";
import { addressTarget, coreTarget, TRANSPORT_HEADERS, webTarget } from "../support/scripts/script-targets.ts";
import { scriptWorld } from "../support/scripts/script-world.ts";
import { sharedFolder } from "../support/test-folder.ts";

/** Node's shim compresses responses, so it sends Vary. The other targets do not. */
const NODE_HEADERS = [...TRANSPORT_HEADERS, "vary"];

const folder = sharedFolder();
// A script restores the world after each of its blocks that changes something, so all scripts use one world per target.
let core: ScriptTarget;
let web: ScriptTarget;
let node: ScriptTarget;
beforeAll(async () => {
  core = coreTarget(await scriptWorld());
  web = webTarget(await scriptWorld());
  const world = await scriptWorld(await directoryWorld(folder));
  const defect = (error: unknown) => {
    throw error;
  };
  const server = await startServer(world.context, { host: "127.0.0.1", port: 0, wallClock: () => 0, defect });
  afterAll(() => server.stop());
  node = addressTarget({ hostname: "127.0.0.1", port: server.port }, world, NODE_HEADERS);
});

for (const { name, blocks } of allScripts()) {
  test.each([
    ["in process", () => core],
    ["by Request and Response", () => web],
    ["on a Node server over a directory", () => node],
  ])(`${name} %s`, async (_, target) => {
    expect(await runScript(blocks, target())).toMatchObject({ differences: [], skipped: [] });
  });
}
