// Bodies, lists and errors that an S3 server sends without an end.
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { localServer } from "../../support/local-server.ts";

interface Server {
  readonly store: S3Store;
  /** Requests so far. */
  readonly requestCount: () => number;
}

/** Longer than a busy machine needs for 32 MiB. */
const limits = { limitMs: 60_000, attemptMs: 30_000 };

async function storeOf(answer: (response: ServerResponse, number: number) => void): Promise<Server> {
  let requestCount = 0;
  const { url: endpoint, stop } = await localServer((request, response) => {
    request.resume();
    answer(response, ++requestCount);
  });
  onTestFinished(stop);
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const client = { forcePathStyle: true, region: "x", endpoint, credentials };
  return { store: new S3Store({ bucket: "bucket", prefix: "", client, limits }), requestCount: () => requestCount };
}

async function keysOf(store: S3Store, prefix = ""): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** Writes until the client stops reading. */
function endless(response: ServerResponse, status: number): void {
  response.writeHead(status, { etag: '"t"', "content-type": "application/xml" });
  const chunk = Buffer.alloc(1 << 20, " ");
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", write);
  write();
}

test("an endless object is read up to the limit, once, and counts as damaged", async () => {
  const { store, requestCount } = await storeOf((response) => endless(response, 200));
  await expect(store.get("k")).rejects.toMatchObject({
    code: "store_damaged",
    tag: "t",
    message: "k is damaged: its body has more than 33554432 bytes",
  });
  expect(requestCount()).toBe(1);
});

test.each([200, 400])("an endless list or error (%i) is not read to its end", async (status) => {
  const { store, requestCount } = await storeOf((response) => endless(response, status));
  await expect(keysOf(store)).rejects.toMatchObject({ code: "store_unavailable" });
  expect(requestCount()).toBe(1);
});

const page = (keys: readonly string[], token: string) =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>${keys
    .map((key) => `<Contents><Key>${key}</Key></Contents>`)
    .join("")}</ListBucketResult>`;

test.each([
  ["the same keys under new tokens", (number: number) => page(["a", "b"], `t${number}`), 2],
  ["empty pages", (number: number) => page([], `t${number}`), 101],
  ["one ascending key a page", (number: number) => page([`b${"c".repeat(number)}`], `t${number}`), 112],
])("a list without progress ends with an error: %s", async (_, answer, requests) => {
  const { store, requestCount } = await storeOf((response, number) => {
    response.writeHead(200, { "content-type": "application/xml" }).end(answer(number));
  });
  await expect(keysOf(store)).rejects.toThrow(/^list s3:\/\/bucket\/: its keys do not continue, up to (?:b?|bc+)$/);
  expect(requestCount()).toBe(requests);
});

const listed = (...parts: readonly string[]) =>
  `<?xml version="1.0"?><ListBucketResult>${parts.join("")}</ListBucketResult>`;
const [WHOLE, CUT] = ["<IsTruncated>false</IsTruncated>", "<IsTruncated>true</IsTruncated>"];
const A = "<Contents><Key>a</Key></Contents>";
const B = "<Contents><Key>b</Key></Contents>";
const NEXT = "<NextContinuationToken>t</NextContinuationToken>";

test.each([
  ["no body", ""],
  ["another program's XML", "<html></html>"],
  ["no IsTruncated", listed(A)],
  ["cut off without a token", listed(CUT, A)],
  ["a token on the last page", listed(WHOLE, A, NEXT)],
  ["the same token again", listed(CUT, NEXT)],
  ["a count of keys that are not there", listed(WHOLE, "<KeyCount>1</KeyCount>")],
  ["descending keys", listed(WHOLE, B, A)],
  ["the same key twice", listed(WHOLE, A, A)],
  ["an entry without a key", listed(WHOLE, "<Contents><Size>1</Size></Contents>")],
  ["another prefix", listed(WHOLE, "<Prefix>other</Prefix>")],
])("a list that contradicts itself is unavailable, never empty: %s", async (_, body) => {
  const { store } = await storeOf((response) => {
    response.writeHead(200, { "content-type": "application/xml" }).end(body);
  });
  await expect(keysOf(store)).rejects.toMatchObject({ code: "store_unavailable" });
});

test("a key outside the prefix makes a list unavailable, and a right list is read", async () => {
  const { store } = await storeOf((response) => {
    response.end(listed(WHOLE, "<KeyCount>2</KeyCount>", "<Prefix>a</Prefix>", A, B));
  });
  await expect(keysOf(store, "a")).rejects.toThrow("list of other keys");
  const { store: right } = await storeOf((response) => response.end(listed(WHOLE, "<KeyCount>2</KeyCount>", A, B)));
  expect(await keysOf(right)).toEqual(["a", "b"]);
});

test("control characters in a server's message are escaped", async () => {
  const { store } = await storeOf((response) => {
    response.writeHead(400, { "content-type": "application/xml" });
    response.end("<Error><Code>Odd</Code><Message>a\u202eb&#10;ok: all is well</Message></Error>");
  });
  await expect(store.get("k")).rejects.toThrow("get s3://bucket/k: 400 Odd a\\u202eb\\u000aok: all is well");
});
