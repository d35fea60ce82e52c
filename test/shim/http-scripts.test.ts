import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/http/routes.ts";
import { startServer } from "../../src/shim/node-server.ts";
import { parseScript } from "../support/http-script.ts";
import { runScript } from "../support/run-http-script.ts";
import { addressTarget, coreTarget, scriptWorld, webTarget } from "../support/script-targets.ts";

const DIRECTORY = new URL("../scripts/", import.meta.url);
const SCRIPTS = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith(".http-script"))
  .map((name) => ({ name, blocks: parseScript(name, readFileSync(new URL(name, DIRECTORY), "utf8")) }));

test("every route has its script", () => {
  const names = SCRIPTS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(ROUTES.map((route) => `${route.name}.http-script`)));
});

for (const { name, blocks } of SCRIPTS) {
  test(`${name} in process`, async () => {
    const outcome = await runScript(blocks, coreTarget(await scriptWorld()));
    expect(outcome).toMatchObject({ differences: [], passedOver: [] });
  });

  test(`${name} by Request and Response`, async () => {
    const outcome = await runScript(blocks, webTarget(await scriptWorld()));
    expect(outcome).toMatchObject({ differences: [], passedOver: [] });
  });

  test(`${name} on a Node server`, async () => {
    const world = await scriptWorld();
    const server = await startServer(world.context, {
      host: "127.0.0.1",
      port: 0,
      wallClock: () => 0,
      defect: (error) => {
        throw error;
      },
    });
    try {
      const outcome = await runScript(blocks, addressTarget({ hostname: "127.0.0.1", port: server.port }, world));
      expect(outcome).toMatchObject({ differences: [], passedOver: [] });
    } finally {
      await server.stop();
    }
  });
}
