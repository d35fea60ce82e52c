/** What an operator reads if the S3 endpoint is not what it should be: real servers, and no words of a library. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { S3_PROVIDERS } from "../../../src/object-store/s3/providers.ts";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function failureAt(scheme: "http" | "https", listener: RequestListener): Promise<StoreUnavailable> {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = {
    endpoint: `${scheme}://127.0.0.1:${port}`,
    region: "x",
    forcePathStyle: true,
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
  };
  const store = new S3Store({
    bucket: "bucket",
    prefix: "p",
    singleWriter: true,
    absentAfter: S3_PROVIDERS.other.absentAfter,
    client,
  });
  return (await store.get("status.json").catch((error: unknown) => error)) as StoreUnavailable;
}

test("https to an http port is told as such", async () => {
  const failure = await failureAt("https", (_request, response) => response.end());
  expect(failure.message).toBe("get s3://bucket/p/status.json: the endpoint does not speak https on that port");
  expect(failure.hint).toBe("Write http:// in --s3-endpoint, or name the port of https.");
});

test("a page of another server in the place of an S3 response is told as such", async () => {
  const failure = await failureAt("http", (_request, response) => {
    response.writeHead(400, { "content-type": "text/html" }).end("<html><p>no S3 here</html>");
  });
  expect(failure.message).toBe("get s3://bucket/p/status.json: the response is not one of an S3 server (no XML)");
  expect(failure.hint).toContain("Another server answers at --s3-endpoint");
});
