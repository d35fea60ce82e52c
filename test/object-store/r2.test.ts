/** The store of a Worker reads what a publisher put through R2's S3 interface (docs/cdn-cloudflare.md). */
import { expect, onTestFinished, test } from "vitest";
import { type R2Bucket, R2Store } from "../../src/object-store/r2/r2-store.ts";
import { S3Store } from "../../src/object-store/s3/s3-store.ts";
import { localServer } from "../support/local-server.ts";
import { sample } from "./samples.ts";

test("an object that was put through S3 is whole through the binding", async () => {
  const META = "x-amz-meta-";
  let stored: { body: Buffer; contentType: string; metadata: Record<string, string> } | undefined;
  const server = await localServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fields = Object.entries(request.headers).filter(([name]) => name.startsWith(META));
    stored = {
      body: Buffer.concat(chunks),
      contentType: request.headers["content-type"] ?? "",
      metadata: Object.fromEntries(fields.map(([name, value]) => [name.slice(META.length), String(value)])),
    };
    response.writeHead(200, { etag: '"tag"' }).end();
  });
  onTestFinished(() => server.stop());
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const client = { endpoint: server.url, region: "auto", credentials, forcePathStyle: true };
  const object = sample('{"a":1}', { status: "200" });
  await new S3Store({ bucket: "b", prefix: "", client }).put("k", object);
  const { body, contentType, metadata } = stored ?? expect.unreachable("nothing was put");
  const bucket: Pick<R2Bucket, "get"> = {
    get: async (key: string) => ({
      key,
      etag: "tag",
      httpMetadata: { contentType },
      customMetadata: metadata,
      arrayBuffer: async () => new Uint8Array(body).buffer,
    }),
  };
  const read = await new R2Store(bucket as R2Bucket).get("k");
  expect(read).toEqual({ ...object, body: new Uint8Array(object.body), tag: "tag" });
});
