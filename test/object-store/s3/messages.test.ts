/** Messages to operators about a wrong S3 endpoint, from real servers and without a library's wording. */
import type { RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { knownHint } from "../../../bin/cli/failures.ts";
import type { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { localServer } from "../../support/local-server.ts";

async function listening(listener: RequestListener): Promise<string> {
  const { port, stop } = await localServer(listener);
  onTestFinished(stop);
  return `127.0.0.1:${port}`;
}

// Short, so that an unresponsive server is given up quickly.
const SHORT = { limitMs: 300, attemptMs: 120 };
// A busy machine needs up to half a second to find the cause, so the first attempt has nearly all of the time.
const LONG = { limitMs: 1_500, attemptMs: 1_400 };

function storeAt(endpoint: string, limits = LONG): S3Store {
  return new S3Store({
    bucket: "bucket",
    prefix: "p",
    singleWriter: true,
    limits,
    client: {
      endpoint,
      region: "x",
      forcePathStyle: true,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    },
  });
}

const OBJECT = { body: new TextEncoder().encode("x"), contentType: "text/plain", metadata: {} };

/** Every kind of call that a store makes. */
const CALLS: readonly [string, (store: S3Store) => Promise<unknown>][] = [
  ["get", (store) => store.get("status.json")],
  ["put", (store) => store.put("status.json", OBJECT)],
  ["delete", (store) => store.delete("status.json")],
  ["list", (store) => store.list("status")[Symbol.asyncIterator]().next()],
];

function failureOf(call: Promise<unknown>): Promise<StoreUnavailable> {
  return call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error as StoreUnavailable,
  );
}

test.each(CALLS)("%s: an unresponsive server is named, with the time limit and what to try", async (_, call) => {
  const host = await listening(() => {});
  const failure = await failureOf(call(storeAt(`http://${host}`, SHORT)));
  expect(failure.message).toMatch(
    new RegExp(`^\\w+ s3://bucket/p/status\\S*: no response from http://${host} within 0.3 s$`),
  );
  expect(knownHint(failure)).toContain(`curl -v http://${host}`);
});

const HTML = "<html><p>no S3 <br> here</html>";
const GARBAGE = "\u0000\u0001<<<<&&& <a><b></a>";

/** Any status and any body: a library's advice to programmers does not help an operator. */
const PAGES = [200, 400, 404, 500].flatMap((status) =>
  [HTML, GARBAGE, ""].flatMap((body) => CALLS.map(([name, call]) => ({ status, body, name, call }))),
);

test.each(PAGES)(
  "$name: another server's $status with $body is reported without its own text",
  async ({ status, body, call }) => {
    const host = await listening((request, response) => {
      request.resume();
      response.writeHead(status, { "content-type": "text/html" }).end(body);
    });
    const store = storeAt(`http://${host}`, SHORT);
    const failure = await call(store).then(
      () => undefined,
      (error: unknown) => error as StoreUnavailable,
    );
    // A deletion only needs the status, and an empty list nothing to parse.
    if (failure === undefined) return expect(status).toBe(200);
    const text = `${failure.message} ${knownHint(failure) ?? ""}`;
    expect(text).not.toMatch(/hidden field|XML parse|[Dd]eserializ|aws-sdk|smithy|\$response|UnknownError|undefined/);
  },
);

test.each([200, 404])(
  "a page with the status %i in place of an object is reported as another server's",
  async (status) => {
    const host = await listening((_request, response) => {
      response.writeHead(status, { "content-type": "text/html" }).end(HTML);
    });
    const failure = await failureOf(storeAt(`http://${host}`).get("status.json"));
    expect(failure.message).toMatch(
      new RegExp(`: the response of http://${host} is not from an S3 server \\((?:no XML|no ETag)\\)$`),
    );
    expect(knownHint(failure)).toContain("Another server responds there");
  },
);

test("a put whose response is a page with the status 200 does not count as done", async () => {
  const host = await listening((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/html" }).end(HTML);
  });
  const failure = await failureOf(storeAt(`http://${host}`).put("status.json", OBJECT));
  expect(failure.code).toBe("store_unavailable");
  expect(failure.message).toContain("(no ETag)");
});
