import { expect, test } from "vitest";
import { directoryWorld } from "../support/directory-world.ts";
import { allScripts } from "../support/scripts/all-scripts.ts";
import { runScript } from "../support/scripts/run-http-script.ts";
import { addressTarget, coreTarget, TRANSPORT_HEADERS, webTarget } from "../support/scripts/script-targets.ts";
import { scriptWorld } from "../support/scripts/script-world.ts";
import { start } from "./node/server-under-test.ts";

const SCRIPTS = allScripts();

/** Node's shim compresses responses, so it sends Vary. The other targets do not. */
const NODE_HEADERS = [...TRANSPORT_HEADERS, "vary"];

for (const { name, blocks } of SCRIPTS) {
  test(`${name} in process`, async () => {
    const outcome = await runScript(blocks, coreTarget(await scriptWorld()));
    expect(outcome).toMatchObject({ differences: [], skipped: [] });
  });

  test(`${name} by Request and Response`, async () => {
    const outcome = await runScript(blocks, webTarget(await scriptWorld()));
    expect(outcome).toMatchObject({ differences: [], skipped: [] });
  });

  test(`${name} on a Node server over a directory`, async () => {
    const world = await scriptWorld(await directoryWorld());
    const { port } = await start(world.context);
    const target = addressTarget({ hostname: "127.0.0.1", port }, world, NODE_HEADERS);
    expect(await runScript(blocks, target)).toMatchObject({ differences: [], skipped: [] });
  });
}
