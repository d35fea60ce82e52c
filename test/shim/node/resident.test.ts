/** Peak resident memory of the built `noonmark serve` while clients request pages and read nothing. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../../src/object-store/open-store.ts";
import { putIndex, putTiles } from "../../support/publish-response.ts";
import { runningCli } from "../../support/running-cli.ts";
import { testFolder } from "../../support/test-folder.ts";
import { raw } from "./server-under-test.ts";

const REQUEST = "GET /v1/public/installations/wheel-1/observations HTTP/1.1\r\nHost: x\r\n\r\n";
const PLAIN = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const PLAIN_REQUESTS = 100;
const MAX_MEGABYTES = 200;

let directory = "";
const clients: Socket[] = [];
beforeEach(async () => {
  directory = testFolder();
  const store = await openStore(directory, { write: true });
  await putIndex(store, ["wheel-1"]);
  await putTiles(store, "wheel-1", 200, (position) => JSON.stringify({ position, text: "x".repeat(330) }));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

async function serve(): Promise<{ readonly port: number; megabytes(): number }> {
  const serving = runningCli(["serve", "--store", directory, "--port", "0"], directory);
  const status = () => readFileSync(`/proc/${serving.process.pid}/status`, "utf8");
  return {
    port: Number(/:(\d+)\n/.exec(await serving.printed(/:\d+\n/))?.[1]),
    megabytes: () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(status())?.[1]) / 1_024,
  };
}

/** Sends its requests at once and never reads. */
function mute(port: number, requests: number): void {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  clients.push(socket);
  socket.write(REQUEST.repeat(requests));
}

test.each([
  { connections: 300, requests: 150 },
  { connections: 20, requests: 1_000 },
])("$connections connections send $requests page requests each and read nothing", async ({ connections, requests }) => {
  const { port, megabytes } = await serve();
  for (let index = 0; index < connections; index++) mute(port, requests);
  for (let count = 0; count < PLAIN_REQUESTS; count++) expect(await raw(port, PLAIN)).toMatch(/^HTTP\/1\.1 200 /);
  // Requests a page afterwards: when it has been read, the flood's memory peak is over.
  expect(await raw(port, REQUEST.replace("Host", "Connection: close\r\nHost"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(megabytes()).toBeLessThan(MAX_MEGABYTES);
});
