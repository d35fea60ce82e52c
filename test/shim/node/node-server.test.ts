import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { type Head, headObject } from "../../../publish/head/head.ts";
import { HEAD_KEY } from "../../../src/http/keys.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import type { ServerOptions } from "../../../src/shim/node/node-server.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putResponse, putText } from "../../support/publish-response.ts";
import { worldHead } from "../../support/world.ts";
import { contextOver, raw, start } from "./server-under-test.ts";

const WALL = Date.parse("2026-11-20T10:01:00.500Z");

const startOver = (store: MemoryStore, options: Partial<ServerOptions> = {}) =>
  start(contextOver(store), { wallClock: () => WALL, ...options });

test("a port in use is reported as address_unusable", async () => {
  const { port } = await startOver(new MemoryStore());
  await expect(startOver(new MemoryStore(), { port })).rejects.toMatchObject({ code: "address_unusable" });
});

test("/healthz is always 200, and /readyz has the age and the clock problems of the publisher's head", async () => {
  const store = new MemoryStore();
  const { url } = await startOver(store);
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init);
    return [response.status, response.headers.get("cache-control"), await response.text()];
  };
  expect(await get("/healthz")).toEqual([200, "no-store", '{"status":"ok"}']);
  expect(await get("/readyz")).toEqual([200, "no-store", '{"status":"ready","publisher":null}']);
  const put = async (renewedAt: string, changed: Partial<Head> = {}) => {
    const head = worldHead(Date.parse(renewedAt) + 5_000);
    await store.put(HEAD_KEY, headObject({ ...head, ...changed }));
  };
  await put("2026-11-20T10:00:00.000Z");
  expect((await get("/readyz"))[2]).toBe(
    '{"status":"ready","publisher":{"renewedAt":"2026-11-20T10:00:00.000Z","ageSeconds":60}}',
  );
  await put("2026-11-20T10:00:30.000Z", { at: Date.parse("2026-11-20T11:01:00.000Z") });
  expect(JSON.parse(String((await get("/readyz"))[2])).publisher).toMatchObject({
    problem: "clock_behind",
    publishedAheadSeconds: 3_600,
  });
  await put("2026-11-20T10:00:30.000Z", { problems: [["clock_moved", 1]] });
  expect(JSON.parse(String((await get("/readyz"))[2])).publisher).toMatchObject({
    problem: "clock_moved",
  });
  await putText(store, HEAD_KEY, "not JSON");
  expect((await get("/readyz"))[2]).toBe('{"status":"ready","publisher":{"renewedAt":null,"ageSeconds":null}}');
  expect((await get("/readyz", { method: "POST" }))[0]).toBe(405);
  store.fail();
  expect(await get("/healthz")).toEqual([200, "no-store", '{"status":"ok"}']);
  expect(await get("/readyz")).toEqual([503, "no-store", '{"error":"store_unavailable"}']);
});

test("a stop lets requests in progress finish, and then closes every connection", async () => {
  const store = new MemoryStore();
  await putResponse(store, PROCESS_KEY, { status: 200, headers: {}, body: "{}" });
  const requested = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const get = store.get.bind(store);
  store.get = async (key, options) => {
    requested.resolve();
    await release.promise;
    return get(key, options);
  };
  const server = await startOver(store);
  const inFlight = fetch(`${server.url}/v4/public/process`);
  await requested.promise;
  const stopped = server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  release.resolve();
  const response = await inFlight;
  expect(await response.text()).toBe("{}");
  expect(response.headers.get("connection")).toBe("close");
  await stopped;
});

test("a stop ends after a limit", async () => {
  const store = new MemoryStore();
  const requested = Promise.withResolvers<void>();
  store.get = async () => {
    requested.resolve();
    return new Promise(() => {});
  };
  const server = await startOver(store, { graceMs: 1 });
  const inFlight = fetch(`${server.url}/v4/public/process`).catch(() => "cut off");
  await requested.promise;
  await server.stop();
  expect(await inFlight).toBe("cut off");
});

test("GET, HEAD and 304 agree on coding, tag and Vary", async () => {
  const store = new MemoryStore();
  const body = JSON.stringify("x".repeat(2_000));
  await putResponse(store, PROCESS_KEY, { status: 200, headers: { etag: '"b"' }, body });
  const { port } = await startOver(store);
  const ask = async (method: string, ...fields: string[]) => {
    const lines = ["Host: x", "Connection: close", ...fields].map((line) => `${line}\r\n`).join("");
    const [head = "", ...rest] = (await raw(port, `${method} /v4/public/process HTTP/1.1\r\n${lines}\r\n`)).split(
      "\r\n\r\n",
    );
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1];
    const names = ["etag", "vary", "content-encoding", "content-length"];
    return [head.split(" ")[1], ...names.map(field), rest.join("").length];
  };
  const GZIP = "Accept-Encoding: gzip";
  const bytes = (await ask("GET", GZIP))[4];
  expect(await ask("GET", GZIP)).toEqual(["200", 'W/"b"', "Accept-Encoding", "gzip", bytes, Number(bytes)]);
  expect(await ask("HEAD", GZIP)).toEqual(["200", 'W/"b"', "Accept-Encoding", "gzip", bytes, 0]);
  expect(await ask("GET")).toEqual(["200", '"b"', "Accept-Encoding", undefined, "2002", 2002]);
  for (const tag of ['"b"', 'W/"b"']) {
    const known = `If-None-Match: ${tag}`;
    expect(await ask("GET", GZIP, known)).toEqual(["304", 'W/"b"', "Accept-Encoding", undefined, undefined, 0]);
    expect(await ask("GET", known)).toEqual(["304", '"b"', "Accept-Encoding", undefined, undefined, 0]);
  }
});

test("CONNECT is 405 like every method that no route has, and an upgrade is an ordinary request", async () => {
  const { port } = await startOver(new MemoryStore());
  const connected = await raw(port, "CONNECT any.host:443 HTTP/1.1\r\nHost: any.host:443\r\n\r\n");
  const [head = "", body] = connected.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 405 /);
  expect(head.toLowerCase()).toContain("\r\naccess-control-allow-origin: *");
  expect(head.toLowerCase()).toContain("\r\nallow: get, head, options");
  expect(body).toBe('{"error":"method_not_allowed"}');
  const close = "Host: a\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect(await raw(port, `GET /nothing HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 404 /);
});

test("a connection that is reset after CONNECT harms nobody", async () => {
  const { port, url } = await startOver(new MemoryStore());
  const socket = connect(port, "127.0.0.1");
  socket.write("CONNECT any.host:443 HTTP/1.1\r\nHost: any.host:443\r\n\r\n", () => socket.resetAndDestroy());
  await once(socket, "close");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
