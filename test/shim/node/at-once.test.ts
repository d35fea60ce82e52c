/** Synchronous responses, compared with asynchronous ones. */
import { expect, test } from "vitest";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { respond } from "../../../src/shim/respond.ts";
import { directoryWorld } from "../../support/directory-world.ts";
import { putResponse } from "../../support/publish-response.ts";
import type { WorldStore } from "../../support/scripts/script-world.ts";
import { testFolder } from "../../support/test-folder.ts";
import { contextOver, raw, start } from "./server-under-test.ts";

async function world(): Promise<WorldStore> {
  const directory = await directoryWorld(testFolder());
  const headers = { etag: '"p"', "cache-control": "public, max-age=0, must-revalidate" };
  await putResponse(directory.writer, PROCESS_KEY, { status: 200, headers, body: JSON.stringify("x".repeat(2_000)) });
  await putResponse(directory.writer, statisticsKey("30d"), {
    status: 200,
    headers: { etag: '"s"' },
    body: JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)),
  });
  return directory;
}

function requestText(method: string, target: string, ...fields: readonly string[]): string {
  return [`${method} ${target} HTTP/1.1`, "Host: x", ...fields, "", ""].join("\r\n");
}

/** The bytes as sent, without the Date. */
async function responseText(port: number, requests: readonly string[]): Promise<string> {
  return (await raw(port, requests.join(""))).replace(/^Date: .*\r\n/gm, "");
}

const PROCESS = "/v4/public/process";
const STATISTICS = "/v2/public/stats?range=30d";
const PIPELINED = [
  requestText("GET", PROCESS),
  requestText("HEAD", PROCESS),
  requestText("GET", PROCESS, 'If-None-Match: "p"'),
  requestText("GET", PROCESS, "Accept-Encoding: gzip, br"),
  requestText("GET", STATISTICS),
  requestText("HEAD", STATISTICS, "Accept-Encoding: gzip"),
  requestText("GET", STATISTICS, "Accept-Encoding: gzip", 'If-None-Match: W/"s"'),
  requestText("POST", PROCESS, "Content-Length: 2") + "{}",
  requestText("OPTIONS", PROCESS),
  requestText("GET", "/nowhere"),
  requestText("GET", "/v4/public/process?x"),
  requestText("GET", PROCESS, "Connection: close"),
];
const STATUSES = [200, 200, 304, 200, 200, 200, 304, 405, 204, 404, 400, 200];

test("pipelined requests in one packet get the same responses in order as from an asynchronous store", async () => {
  const { reader } = await world();
  const { port: waited } = await start(contextOver({ get: async (key, options) => reader.get(key, options) }));
  const { port } = await start(contextOver(reader));
  const expected = await responseText(waited, PIPELINED);
  expect(await responseText(port, PIPELINED)).toBe(expected);
  expect([...expected.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))).toEqual(STATUSES);
});

test("a directory's object or failure gives a synchronous response", async () => {
  const { reader, fail } = await world();
  const context = contextOver(reader);
  expect(respond({ method: "GET", url: PROCESS }, context)).toMatchObject({ status: 200 });
  fail();
  await new Promise((resolve) => setImmediate(resolve));
  expect(respond({ method: "GET", url: PROCESS }, context)).toMatchObject({ status: 503 });
});

test("an internal error is a 500 that closes its connection", async () => {
  const { reader } = await world();
  const defects: unknown[] = [];
  const broken = () => {
    throw new TypeError("no clock");
  };
  const { port } = await start(contextOver(reader, broken), { defect: (error) => defects.push(error) });
  const received = await raw(port, requestText("GET", PROCESS));
  expect(received).toMatch(/^HTTP\/1\.1 500 /);
  expect(received).toMatch(/^connection: close\r$/m);
  expect(defects).toMatchObject([{ message: "no clock" }]);
});
