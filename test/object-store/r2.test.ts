/** The store of a Worker reads what a publisher put through R2's S3 interface (docs/cdn.md). */
import { expect, onTestFinished, test } from "vitest";
import { StoreDamaged, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { type R2Bucket, R2Store } from "../../src/object-store/r2/r2-store.ts";
import { S3Store } from "../../src/object-store/s3/s3-store.ts";
import { localServer } from "../support/local-server.ts";
import { sample } from "./samples.ts";

const storeOver = (get: R2Bucket["get"]) => new R2Store({ get });

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
  const found = { etag: "tag", httpMetadata: { contentType }, customMetadata: metadata };
  const read = (bytes: Uint8Array, customMetadata = metadata) =>
    storeOver(async () => ({ ...found, customMetadata, arrayBuffer: async () => new Uint8Array(bytes).buffer })).get(
      "k",
    );
  expect(await read(body)).toEqual({ ...object, body: new Uint8Array(object.body), tag: "tag" });
  for (const bytes of [body.subarray(1), new Uint8Array()]) await expect(read(bytes)).rejects.toThrow(StoreDamaged);
  await expect(read(body, { ...metadata, status: "404" })).rejects.toThrow(StoreDamaged);
  await expect(read(body, {})).rejects.toThrow("another program put it");
});

test("a missing object is absent, and a failing R2 is unavailable", async () => {
  expect(await storeOver(async () => null).get("k")).toBeUndefined();
  await expect(storeOver(async () => Promise.reject(new Error("internal error (10001)"))).get("k")).rejects.toThrow(
    new StoreUnavailable("get r2:k: internal error (10001)"),
  );
});
