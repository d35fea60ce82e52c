/** A continuous publisher whose store becomes reachable only after the publisher's first attempt. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../../../support/free-port.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
});

interface Kept {
  readonly body: Buffer;
  readonly headers: Record<string, string>;
  readonly etag: string;
}

/** An in-memory bucket: whole objects with metadata, conditional puts, and single-page lists. */
function bucket(objects: Map<string, Kept>) {
  let puts = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = (request.url ?? "").split("?", 1)[0] ?? "";
    const kept = objects.get(key);
    const body = await buffer(request);
    const refuse = (status: number, code: string) =>
      response.writeHead(status, { "content-type": "application/xml" }).end(`<Error><Code>${code}</Code></Error>`);
    if (request.method === "PUT") {
      const { "if-match": tag, "if-none-match": none } = request.headers;
      if (none === "*" && kept !== undefined) return void refuse(412, "PreconditionFailed");
      if (tag !== undefined && tag !== kept?.etag) return void refuse(412, "PreconditionFailed");
      const own = Object.entries(request.headers).filter(([name]) => /^(?:x-amz-meta-|content-type$)/.test(name));
      const etag = `"${++puts}"`;
      objects.set(key, { body, headers: Object.fromEntries(own) as Record<string, string>, etag });
      response.writeHead(200, { etag }).end();
    } else if (request.method === "DELETE") {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (request.url?.includes("list-type=2")) {
      const { searchParams } = new URL(request.url, "http://bucket");
      const keys = [...objects.keys()].map((path) => path.slice("/bucket/".length)).sort();
      const found = keys.filter((name) => name.startsWith(searchParams.get("prefix") ?? ""));
      const contents = found.map((name) => `<Contents><Key>${name}</Key></Contents>`).join("");
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
    } else if (kept === undefined) refuse(404, "NoSuchKey");
    else response.writeHead(200, { ...kept.headers, etag: kept.etag }).end(kept.body);
  };
}

test("a publisher whose store becomes reachable later publishes without a restart", async () => {
  const folder = testFolder();
  vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
  const port = await freePort();
  const flags = `--ledger none --installation-id wheel-1 --metrics none --store s3://bucket/p --s3-endpoint http://127.0.0.1:${port}`;
  const publisher = runningCli(["publish", ...flags.split(" ")], folder);
  await publisher.printed("no server listens at");
  const objects = new Map<string, Kept>();
  const judge = bucket(objects);
  server = createServer((request, response) => void judge(request, response)).listen(port, "127.0.0.1");
  await vi.waitFor(() => expect([...objects.keys()]).toContain("/bucket/p/v1/public/telemetry"), {
    timeout: 60_000,
    interval: 50,
  });
  expect(publisher.process.exitCode).toBe(null);
  await publisher.ended("SIGTERM");
}, 100_000);
