/**
 * nginx buffers neither request bodies nor responses in temporary files, each of which would log a warning and write to
 * disk.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, localServer } from "../support/local-server.ts";
import { startNginx } from "./nginx.ts";

const LARGE = 2_000_000;
let shim: LocalServer;
let front: Awaited<ReturnType<typeof startNginx>>;
beforeAll(async () => {
  shim = await localServer(
    (_, response) => void response.setHeader("content-type", "application/json").end("x".repeat(LARGE)),
  );
  const origin = { host: "127.0.0.1", port: shim.port };
  front = await startNginx({ bucket: { ...origin, path: "/none/" }, shim: origin });
});
afterAll(async () => {
  await front?.stop();
  await shim?.stop();
});

/** Reads in small chunks and returns the number of bytes. */
async function readSlowly(head: string, body = ""): Promise<number> {
  const socket = connect(front.port, "127.0.0.1");
  let bytes = 0;
  socket.on("data", (data: Buffer) => {
    bytes += data.length;
    socket.pause();
    setImmediate(() => socket.resume());
  });
  socket.write(`${head}Host: a\r\nConnection: close\r\n\r\n${body}`);
  await once(socket, "close");
  return bytes;
}

test.each(["/openapi.json", "/v1/public/telemetry", "/v1/public/installations/wheel-1/observations?cursor=MQ"])(
  "a large response of %s arrives whole without a temporary file",
  async (path) => {
    expect(await readSlowly(`GET ${path} HTTP/1.1\r\n`)).toBeGreaterThan(LARGE);
    expect(front.log()).not.toContain("temporary file");
  },
);
