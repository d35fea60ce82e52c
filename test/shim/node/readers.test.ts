/** Limits for clients that request but do not read, or connect but do not request. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { SERVER_LIMITS, type ServerLimits } from "../../../src/shim/node/limits.ts";
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
    limits: { ...SERVER_LIMITS, ...limits },
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

/** Takes so many bytes and leaves the rest unread. */
async function take(client: Socket, bytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = bytes;
  const take = (chunk: Buffer) => {
    left -= chunk.length;
    if (left > 0) return;
    client.off("data", take).pause();
    if (left < 0) client.unshift(chunk.subarray(left));
    resolve();
  };
  client.on("data", take).resume();
  await promise;
}

test("a reader that takes no whole response in time is closed, and others keep their connection", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  // More than the kernel's buffers hold.
  const long = 20_000_000;
  const { server } = await started({ readerTimeout: 2_000 }, long);
  const idle = await mute(server.port, REQUEST);
  const [head] = (await once(idle.resume(), "data")) as [Buffer];
  const bytes = head.indexOf("\r\n\r\n") + 4 + long + 2;
  await take(idle, bytes - head.length);
  await mute(server.port, REQUEST);
  const [single, pipelined] = [await mute(server.port, REQUEST), await mute(server.port, REQUEST + REQUEST)];
  for (const client of [single, pipelined]) await take(client, 1);
  const open: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (const client of [single, pipelined]) {
      await take(client, bytes - 1);
      client.write(REQUEST);
      // The next response has begun, and is left unread.
      await take(client, 1);
    }
    for (let look = 0; look < 2; look++) {
      vi.advanceTimersByTime(1_000);
      await raw(server.port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      open.push(server.connections.open);
    }
  }
  expect(open).toEqual([4, 4, 3, 3, 3, 3]);
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
