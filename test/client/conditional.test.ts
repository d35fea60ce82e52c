/** The client's response cache: which routes it keeps, and how many responses. */
import { expect, test } from "vitest";
import type { Fetch } from "../../src/client/exchange.ts";
import { clientUnderTest } from "./support/client-under-test.ts";
import { json, misbehavingServer, text } from "./support/misbehaving-server.ts";

const process = (revision: string) => ({ schemaVersion: 4, revision });

test("the client sends If-None-Match only to routes that evaluate it", async () => {
  const server = await misbehavingServer((request, response) =>
    json(response, { schemaVersion: request.url?.startsWith("/v4") ? 4 : 1 }, { etag: '"a"' }),
  );
  const { api } = clientUnderTest(server);
  for (let calls = 0; calls < 2; calls++) {
    await api.process();
    await api.telemetry();
    await api.onchain();
  }
  const sent = server.requests.map(({ url, headers }) => [url, headers["if-none-match"]]);
  expect(sent.slice(3)).toEqual([
    ["/v4/public/process", '"a"'],
    ["/v1/public/telemetry", undefined],
    ["/v4/public/onchain", undefined],
  ]);
});

test("a 200 from a cache with the weak form of the tag returns the remembered object", async () => {
  const server = await misbehavingServer((_, response, number) =>
    json(response, process("1"), { etag: number === 1 ? '"a"' : 'W/"a"' }),
  );
  const { api } = clientUnderTest(server);
  const first = await api.process();
  const second = await api.process();
  expect(second.notModified).toBe(true);
  expect(second.body).toBe(first.body);
});

test("with a browser's cache the client adds no header, and recognises an unchanged body in a 200", async () => {
  const inits: RequestInit[] = [];
  const send: Fetch = async (_, init) => {
    inits.push(init);
    return Response.json(process("1"), { headers: { etag: '"a"' } });
  };
  const { api } = clientUnderTest({ fetch: send, ownCache: true });
  const first = await api.process();
  const second = await api.process();
  expect(second.notModified).toBe(true);
  expect(second.body).toBe(first.body);
  expect(inits.map(({ cache, headers }) => ({ cache, headers }))).toEqual([
    { cache: "no-cache", headers: undefined },
    { cache: "no-cache", headers: undefined },
  ]);
});

test("the number of remembered responses is limited, however many URLs a server responds to", async () => {
  const server = await misbehavingServer((request, response) =>
    request.headers["if-none-match"] === undefined
      ? json(response, { schemaVersion: 2 }, { etag: '"a"' })
      : text(response, 304, ""),
  );
  const { api } = clientUnderTest(server);
  const read = (number: number) => api.statistics({ range: `${number}d` as "7d" });
  for (let number = 0; number < 17; number++) await read(number);
  expect((await read(16)).notModified).toBe(true);
  expect((await read(1)).notModified).toBe(true);
  expect((await read(0)).notModified).toBe(false);
});
