/** The client on Node and in a Worker, over sockets. client-chromium.test.ts covers browsers. */
import { Miniflare } from "miniflare";
import { expect, onTestFinished, test } from "vitest";
import { workerBundle } from "../workerd/worker-bundle.ts";
import { clientScene, type SceneAddresses } from "./client-scene.ts";
import { SCENE_OUTCOME, sceneServers } from "./client-scene-servers.ts";

const WORKER = `
import { clientScene } from "../client/client-scene.ts";
export default { fetch: async (request) => Response.json(await clientScene(await request.json())) };
`;

async function sceneInWorker(addresses: SceneAddresses): Promise<unknown> {
  const script = await workerBundle(WORKER);
  const workerd = new Miniflare({ host: "127.0.0.1", modules: true, script, compatibilityDate: "2026-07-01" });
  onTestFinished(() => workerd.dispose());
  const response = await workerd.dispatchFetch("http://w/", { method: "POST", body: JSON.stringify(addresses) });
  return response.json();
}

test.each([
  ["on Node", clientScene],
  ["in a Worker", sceneInWorker],
])("the client %s sends its own condition and gets a 304", async (_, scene) => {
  const servers = await sceneServers();
  expect(await scene(servers)).toEqual(SCENE_OUTCOME);
  expect(servers.requests.filter((line) => line.includes("process")).slice(0, 2)).toEqual([
    "GET /v4/public/process - 200",
    'GET /v4/public/process "process-1" 304',
  ]);
});
