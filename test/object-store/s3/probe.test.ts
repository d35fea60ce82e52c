/** The checks at the start, on a small S3 server whose tags are no body hashes, with faults at any of its requests. */
import { expect, onTestFinished, test } from "vitest";
import { StoreConflict } from "../../../src/object-store/object-store.ts";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { localServer } from "../../support/local-server.ts";
import { sample } from "../samples.ts";

type Fault = "lost" | "contended";

interface Answers {
  /** The fault of the n-th put, counted from 1. */
  readonly fault?: (put: number) => Fault | undefined;
  readonly conditions?: boolean;
  readonly singleWriter?: boolean;
}

async function probe({ fault = () => undefined, conditions = true, singleWriter = false }: Answers): Promise<S3Store> {
  const objects = new Map<string, { readonly tag: string; readonly id: string }>();
  let [puts, tags] = [0, 0];
  const { url, stop } = await localServer(async ({ method, url = "", headers, socket, ...request }, response) => {
    const [path = "", query = ""] = url.split("?");
    const found = objects.get(path);
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    void request;
    if (query.includes("list-type")) {
      response.end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>`);
    } else if (method === "PUT") {
      const failed = fault(++puts);
      const { "if-match": match, "if-none-match": none } = headers;
      if (failed === "contended") return void refuse(409, "ConditionalRequestConflict");
      const holds = (none === undefined || found === undefined) && (match === undefined || match === `"${found?.tag}"`);
      if (conditions && !holds) return void refuse(412, "PreconditionFailed");
      objects.set(path, { tag: `t${++tags}`, id: String(headers["x-amz-meta-noonmark-put"]) });
      if (failed === "lost") return void socket.resetAndDestroy();
      response.setHeader("etag", `"t${tags}"`).end();
    } else if (method === "DELETE") {
      objects.delete(path);
      response.writeHead(204).end();
    } else if (found === undefined) refuse(404, "NoSuchKey");
    else response.writeHead(200, { etag: `"${found.tag}"`, "x-amz-meta-noonmark-put": found.id }).end();
  });
  onTestFinished(stop);
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const client = { forcePathStyle: true, region: "x", endpoint: url, credentials };
  const limits = { limitMs: 1_500, attemptMs: 700 };
  const store = new S3Store({ bucket: "bucket", prefix: "", client, limits, singleWriter });
  await store.probe();
  return store;
}

test.each([1, 2, 3, 4])(
  "the lost response of put %i does not hide that the server evaluates conditions",
  async (lost) => {
    await probe({ fault: (put) => (put === lost ? "lost" : undefined) });
  },
);

test.each([1, 2, 3, 4])(
  "contention from put %i on proves nothing: the store is unavailable, to be tried again",
  async (from) => {
    await expect(probe({ fault: (put) => (put >= from ? "contended" : undefined) })).rejects.toMatchObject({
      code: "store_unavailable",
      isFinal: false,
      message: expect.stringContaining("409 ConditionalRequestConflict"),
    });
  },
);

test("contention that ends is waited for", async () => {
  await probe({ fault: (put) => (put < 4 ? "contended" : undefined) });
});

test.each([1, 2])("a server that ignores conditions is found, also if response %i is lost", async (lost) => {
  const fault = (put: number): Fault | undefined => (put === lost ? "lost" : undefined);
  await expect(probe({ fault, conditions: false })).rejects.toMatchObject({ code: "conditions_unsupported" });
});

test("with a single writer, the store checks the conditions itself before a put", async () => {
  const store = await probe({ conditions: false, singleWriter: true });
  const tag = await store.put("k", sample("first"), { ifAbsent: true });
  await expect(store.put("k", sample("second"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
  await expect(store.put("k", sample("second"), { ifTag: "0" })).rejects.toThrow(StoreConflict);
  expect(await store.put("k", sample("second"), { ifTag: tag })).not.toBe(tag);
});
