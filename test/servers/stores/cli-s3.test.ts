/** The command line on a real bucket, as an operator runs it. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startCli } from "../../support/cli.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../processes.ts";
import { type S3Server, startRadosgw } from "../radosgw.ts";
import { BUCKET, makeBucket } from "./s3-store.ts";

let server: S3Server;
let folder: string;
beforeAll(async () => {
  server = await startRadosgw();
  await makeBucket(server);
  folder = mkdtempSync(join(tmpdir(), "noonmark-cli-s3-"));
  // The SDK's own chain: credentials are no setting of ours.
  process.env.AWS_ACCESS_KEY_ID = server.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = server.secretAccessKey;
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const store = () => ["--store", `s3://${BUCKET}/public`, "--s3-provider", "ceph", "--s3-endpoint", server.endpoint];
const publish = () =>
  runCli(["publish", "--once", "--json", "--ledger", "none", "--installation-id", "wheel-1", ...store()], folder);

test("publish, a second publish and serve work on a bucket", async () => {
  expect(await publish()).toMatchObject({ exitCode: 0 });
  const again = await publish();
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('"unchanged"');
  expect(again.stdout).not.toContain('"created"');

  const port = await freePort();
  const serve = startCli(["serve", "--port", String(port), "--log-level", "fatal", ...store()], folder);
  try {
    const url = `http://127.0.0.1:${port}`;
    await until("the shim is ready", async () => (await fetch(`${url}/readyz`)).ok);
    const telemetry = await fetch(`${url}/v1/public/telemetry`);
    expect(await telemetry.json()).toMatchObject({ installationId: "wheel-1", status: "offline", revision: null });
    const process = await fetch(`${url}/v4/public/process`);
    const etag = process.headers.get("etag") ?? "";
    expect(etag).toMatch(/^".+"$/);
    const known = await fetch(`${url}/v4/public/process`, { headers: { "if-none-match": etag } });
    expect(known.status).toBe(304);
  } finally {
    serve.kill("SIGTERM");
    await once(serve, "exit");
  }
});

test("start-up prints the estimate of a month's cost", async () => {
  const args = ["publish", "--ledger", "none", "--installation-id", "wheel-1", ...store()];
  const running = startCli(args, folder);
  let log = "";
  running.stderr?.on("data", (data: Buffer) => (log += data.toString()));
  try {
    await until("the estimate is logged", async () => log.includes("putsAMonth"));
  } finally {
    running.kill("SIGTERM");
    await once(running, "exit");
  }
  // Nothing to publish but the lease: every ten seconds.
  expect(log).toContain('"putsAMonth":259200,');
});

test("a bucket that does not respond is store_unavailable, exit 74", async () => {
  const closed = `http://127.0.0.1:${await freePort()}`;
  const { exitCode, stderr } = await runCli(["status", ...store().slice(0, -1), closed], folder);
  expect([exitCode, stderr.split(":").slice(0, 2).join(":")]).toEqual([74, "noonmark: store_unavailable"]);
});
