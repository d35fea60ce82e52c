/** Limits for clients that request but do not read, or connect but do not request. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { statisticsKey } from "../../../../src/resources/statistics/route.ts";
import { DEFAULT_LIMITS, MAX_WAITING, type ServerLimits } from "../../../../src/shim/node/connections/limits.ts";
import type { ShimServer } from "../../../../src/shim/node/node-server.ts";
import { MemoryStore } from "../../../support/memory-store.ts";
import { putAnswer } from "../../../support/publish-answer.ts";
import { contextOver, raw, start } from "../server-under-test.ts";

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
  await putAnswer(store, statisticsKey("30d"), { status: 200, headers: {}, body: JSON.stringify("x".repeat(bytes)) });
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

test("only a few of a thousand unread pipelined responses are composed, and another client does not wait", async () => {
  const { server, store } = await started();
  await Promise.all(Array.from({ length: 20 }, () => mute(server.port, REQUEST.repeat(1_000))));
  for (let count = 0; count < 50; count++) expect(await raw(server.port, LAST)).toMatch(/^HTTP\/1\.1 200 /);
  // The system's socket buffers hold some megabytes per connection; a response has 135 kB.
  expect(store.gets.length - 50).toBeLessThan(20 * 60);
  expect(server.connections.waiting).toBeLessThanOrEqual(MAX_WAITING);
});

test("pipelined requests of a client that reads get their responses in sequence", async () => {
  const { server, store } = await started({}, 2_000);
  const received = await raw(server.port, REQUEST.repeat(1_000) + LAST);
  expect(received.split("HTTP/1.1 200 OK").length - 1).toBe(1_001);
  expect(store.gets).toHaveLength(1_001);
  expect(server.connections.waiting).toBe(0);
});

test("a response that is not read is abandoned in time", async () => {
  const { server } = await started({ readerTimeout: 2_000 });
  const client = await mute(server.port, REQUEST.repeat(200));
  while (server.connections.open > 0) await once(client, "close", { signal: AbortSignal.timeout(100) }).catch(() => {});
  expect(server.connections.waiting).toBe(0);
});

test("silent connections are closed in favour of active ones, which stay open", async () => {
  const { server, crowded } = await started({ maxConnections: 50 });
  const asking = await mute(server.port, REQUEST);
  for (let index = 0; index < 400; index++) await mute(server.port);
  expect(await raw(server.port, LAST)).toMatch(/^HTTP\/1\.1 200 /);
  expect(server.connections.open).toBeLessThanOrEqual(50);
  expect(crowded()).toBeGreaterThanOrEqual(351);
  expect(asking.destroyed).toBe(false);
  asking.resume();
  const [first] = (await once(asking, "data")) as [Buffer];
  expect(first.toString("latin1", 0, 15)).toBe("HTTP/1.1 200 OK");
});

test("if every connection has a pending response, one more connection is closed", async () => {
  const { server, crowded } = await started({ maxConnections: 3 });
  for (let index = 0; index < 3; index++) {
    const client = await mute(server.port, REQUEST.repeat(200));
    await once(client.resume(), "data");
    client.pause();
  }
  expect(await raw(server.port, LAST)).toBe("");
  expect(crowded()).toBe(1);
});
