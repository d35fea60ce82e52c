/**
 * `noonmark verify` finds nothing in the live demo through Varnish and nginx. All responses also match the OpenAPI
 * document.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { judgeEveryResponse } from "../openapi/judge.ts";
import { runCli, startCli } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";
import { stop, until } from "../support/processes.ts";
import { type DirectoryBucket, startDirectoryBucket } from "./directory-bucket.ts";
import { startNginx } from "./nginx.ts";
import { startVarnish } from "./varnish.ts";

const START = join(import.meta.dirname, "../../demo/start/start.ts");
const folder = mkdtempSync(join(tmpdir(), "noonmark-verify-"));
let shims: ChildProcess[] = [];
let demo: ChildProcess;
let shimPort: number;
let sharedPort: number;
let bucket: DirectoryBucket;

beforeAll(async () => {
  [shimPort, sharedPort] = [await freePort(), await freePort()];
  demo = spawn(process.execPath, [START, "--port", String(await freePort())], { cwd: folder });
  let output = "";
  for (const stream of [demo.stdout, demo.stderr]) stream?.on("data", (data: Buffer) => (output += data.toString()));
  await until("the demo is ready", async () => output.includes("Press Ctrl-C to stop"));
  const { store } = JSON.parse(readFileSync(join(folder, ".noonmark/noonmark.json"), "utf8")) as { store: string };
  const serve = (port: number, ...flags: string[]) =>
    startCli(["serve", "--config", ".noonmark/noonmark.json", "--port", String(port), ...flags], folder);
  shims = [serve(shimPort), serve(sharedPort, "--shared-cache-control")];
  for (const port of [shimPort, sharedPort])
    await until("the shim is ready", async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  bucket = await startDirectoryBucket(new FilesystemStore(join(folder, store), { write: false }));
});
afterAll(async () => {
  bucket?.stop();
  for (const shim of shims) await stop(shim, "SIGTERM");
  await stop(demo, "SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

/** Headers of HTTP itself and for caches, which the document does not describe. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "date", "cdn-cache-control"]);

test("every response of the live demo matches the OpenAPI document", async () => {
  const { judged, found } = await judgeEveryResponse(async (url) => {
    const got = await fetch(`http://127.0.0.1:${shimPort}${url}`, { headers: { "accept-encoding": "identity" } });
    const headers = [...got.headers].filter(([name]) => !OF_CONNECTION.has(name));
    return { status: got.status, headers: Object.fromEntries(headers), body: await got.text() };
  });
  expect(found).toEqual([]);
  expect(judged).toBeGreaterThan(30);
});

// They run at the same time, because both wait for caches.
test.concurrent.each([
  ["Varnish", startVarnish],
  ["nginx", startNginx],
] as const)("verify finds nothing in the demo through %s", async (_, start) => {
  const shim = { host: "127.0.0.1", port: shimPort };
  const front = await start({ bucket: bucket.origin, shim, sharedShim: { host: "127.0.0.1", port: sharedPort } });
  const { exitCode, stdout, stderr } = await runCli(
    ["verify", `http://127.0.0.1:${front.port}`, "--qps", "200"],
    folder,
  );
  await front.stop();
  expect(stdout.split("\n").filter((line) => line.startsWith("FAIL"))).toEqual([]);
  expect([exitCode, stderr]).toEqual([0, ""]);
});
