/** The client in Chromium, in a page of another origin and in that page's worker. */
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { useBrowser } from "../../site/support/reader.ts";
import { localServer } from "../../support/local-server.ts";
import type { SceneAddresses } from "./client-scene.ts";
import { SCENE_OUTCOME, sceneServers } from "./client-scene-servers.ts";

const IN_PAGE = `import { clientScene } from "./client-scene.ts"; globalThis.clientScene = clientScene;`;
const IN_WORKER = `
import { clientScene } from "./client-scene.ts";
clientScene(JSON.parse(decodeURIComponent(location.hash.slice(1)))).then(postMessage);
`;

const browser = useBrowser();

test.each([
  ["a page", (addresses: SceneAddresses) => (globalThis as unknown as InPage).clientScene(addresses)],
  [
    "a worker of a page",
    (addresses: SceneAddresses) =>
      new Promise((resolve, reject) => {
        const { Worker } = globalThis as unknown as InPage;
        const worker = new Worker(`/worker.js#${encodeURIComponent(JSON.stringify(addresses))}`);
        worker.addEventListener("message", ({ data }) => resolve(data));
        worker.addEventListener("error", ({ message }) => reject(new Error(message)));
      }),
  ],
])("the client in %s: no preflight, and the browser's own cache revalidates", async (_, inPage) => {
  const servers = await sceneServers();
  const page = await openPage();
  const { requests, ...addresses } = servers;
  expect(await page.evaluate(inPage, addresses)).toEqual(SCENE_OUTCOME);
  expect(requests.filter((line) => !line.startsWith("GET "))).toEqual([]);
  expect(requests.filter((line) => line.includes("process")).slice(0, 2)).toEqual([
    "GET /v4/public/process - 200",
    'GET /v4/public/process "process-1" 304',
  ]);
});

/** The page's part. The tests are compiled without DOM types. */
interface InPage {
  clientScene(addresses: SceneAddresses): Promise<unknown>;
  readonly Worker: new (
    url: string,
  ) => {
    addEventListener(
      type: "message" | "error",
      listener: (event: { readonly data: unknown; readonly message: string }) => void,
    ): void;
  };
}

async function openPage(): Promise<Page> {
  const scripts: Readonly<Record<string, string>> = {
    "/page.js": await bundle(IN_PAGE),
    "/worker.js": await bundle(IN_WORKER),
  };
  const { url, stop } = await localServer(({ url = "" }, response) => {
    const script = scripts[url];
    response.writeHead(200, { "content-type": script === undefined ? "text/html" : "text/javascript" });
    response.end(script ?? '<!doctype html><script src="/page.js"></script>');
  });
  const page = await browser().newPage();
  onTestFinished(async () => {
    await page.close();
    await stop();
  });
  await page.goto(`${url}/`);
  return page;
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
  });
  return outputFiles[0]?.text ?? "";
}
