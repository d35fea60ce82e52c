import { Miniflare } from "miniflare";
import { expect, onTestFinished, test } from "vitest";
import { workerBundle } from "../workerd/worker-bundle.ts";
import { SCENE_OUTCOME, sceneServers } from "./client-scene-servers.ts";

const WORKER = `
import { clientScene } from "../client/client-scene.ts";
export default { fetch: async (request) => Response.json(await clientScene(await request.json())) };
`;

test("the client in a Worker: its own condition, a 304", async () => {
  const servers = await sceneServers();
  const script = await workerBundle(WORKER);
  const workerd = new Miniflare({ host: "127.0.0.1", modules: true, script, compatibilityDate: "2026-07-01" });
  onTestFinished(() => workerd.dispose());
  const { good, bad } = servers;
  const response = await workerd.dispatchFetch("http://w/", { method: "POST", body: JSON.stringify({ good, bad }) });
  expect(await response.json()).toEqual(SCENE_OUTCOME);
  expect(servers.requests.filter((line) => line.includes("process")).slice(0, 2)).toEqual([
    "GET /v4/public/process - 200",
    'GET /v4/public/process "process-1" 304',
  ]);
});
