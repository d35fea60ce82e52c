import { expect, test } from "vitest";
import { clientScene } from "./client-scene.ts";
import { SCENE_OUTCOME, sceneServers } from "./client-scene-servers.ts";

test("the client on Node, over sockets: its own condition, a 304", async () => {
  const servers = await sceneServers();
  expect(await clientScene(servers)).toEqual(SCENE_OUTCOME);
  expect(servers.requests.filter((line) => line.includes("process")).slice(0, 2)).toEqual([
    "GET /v4/public/process - 200",
    'GET /v4/public/process "process-1" 304',
  ]);
});
