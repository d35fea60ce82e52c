/** Limits for clients that request but do not read, or connect but do not request. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { DEFAULT_LIMITS, type ServerLimits } from "../../../src/shim/node/limits.ts";
import type { ShimServer } from "../../../src/shim/node/node-server.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putResponse } from "../../support/publish-response.ts";
import { contextOver, raw, start } from "./server-under-test.ts";

const TARGET = "/v2/public/stats?range=30d";
const REQUEST = `GET ${TARGET} HTTP/1.1\r\nHost: x\r\n\r\n`;
const LAST = `GET ${TARGET} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

interface Started {
  readonly server: ShimServer;
  readonly store: MemoryStore;
  crowded(): number;
}

async function started(limits: Partial<ServerLimits> = {}, bytes = 135_000): Promise<Started> {
  const store = new MemoryStore();
  await putResponse(store, statisticsKey("30d"), { status: 200, headers: {}, body: JSON.stringify("x".repeat(bytes)) });
  let crowded = 0;
  const server = await start(contextOver(store), {
    limits: { ...DEFAULT_LIMITS, ...limits },
    crowded: () => void (crowded += 1),
  });
  return { server, store, crowded: () => crowded };
}

/** A client that never reads. */
async function mute(port: number, bytes = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (bytes !== "") await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

test("a connection with a seventeenth unanswered request is closed, and others are served", async () => {
  const { server, store } = await started();
  const mutes = await Promise.all(Array.from({ length: 20 }, () => mute(server.port, REQUEST.repeat(1_000))));
  for (let count = 0; count < 50; count++) expect(await raw(server.port, LAST)).toMatch(/^HTTP\/1\.1 200 /);
  expect(server.connections.open).toBe(0);
  // At most one response for each of them was composed.
  expect(store.gets.length - 50).toBeLessThanOrEqual(mutes.length);
});

test("sixteen pipelined requests get their responses in order, again and again", async () => {
  const { server } = await started({}, 2_000);
  const batch = REQUEST.repeat(15);
  const client = connect(server.port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let received = "";
  client.setEncoding("latin1").on("data", (text: string) => (received += text));
  for (let round = 1; round <= 3; round++) {
    client.write(batch + REQUEST);
    while (received.split("HTTP/1.1 200 OK").length - 1 < 16 * round) await once(client, "data");
  }
  client.write(`${REQUEST.repeat(16)}${LAST}`);
  await once(client, "close");
});

test("a response that is not read is abandoned in time", async () => {
  const { server } = await started({ readerTimeout: 2_000 }, 20_000_000);
  const client = await mute(server.port, REQUEST);
  while (server.connections.open > 0) await once(client, "close", { signal: AbortSignal.timeout(100) }).catch(() => {});
});

test("a reader that takes its response slowly keeps its connection", async () => {
  const { server } = await started({ readerTimeout: 2_000 });
  const client = await mute(server.port, REQUEST);
  const [head] = (await once(client.resume(), "data")) as [Buffer];
  expect(head.toString("latin1", 0, 15)).toBe("HTTP/1.1 200 OK");
  expect(server.connections.open).toBe(1);
});

test("one connection more than allowed is closed, and the others stay open", async () => {
  const { server, crowded } = await started({ maxConnections: 3 });
  const [first] = [await mute(server.port), await mute(server.port), await mute(server.port)];
  expect(await raw(server.port, LAST)).toBe("");
  expect(crowded()).toBe(1);
  first.end(LAST);
  await once(first.resume(), "close");
  expect(await raw(server.port, LAST)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a silent connection, half a request and an endless body are closed in time", async () => {
  const { server } = await started({ requestTimeout: 1_000 });
  const [silent, partial, body] = await Promise.all([
    raw(server.port),
    raw(server.port, "GET / HTTP/1.1\r\nHost: x\r\n"),
    raw(server.port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n", "x".repeat(1 << 20)),
  ]);
  expect([silent, partial].map((text) => text.slice(0, 12))).toEqual(["HTTP/1.1 408", "HTTP/1.1 408"]);
  expect(body).toMatch(/^HTTP\/1\.1 405 /);
});
