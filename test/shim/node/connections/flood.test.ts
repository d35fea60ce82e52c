import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Flood, type FloodConnection } from "../../../../src/shim/node/connections/flood.ts";

/** A connection with a fake socket, which only records if it is being read. */
class Fake implements FloodConnection {
  responseCount = 0;
  waiting = 0;
  hasPipelined = false;
  isRead = true;
  readonly destroyed = false;
  readonly socket = this as unknown as Socket;

  pause(): void {
    this.isRead = false;
  }

  resume(): void {
    this.isRead = true;
  }

  isPaused(): boolean {
    return !this.isRead;
  }
}

function floodOf(connections: readonly Fake[]): Flood {
  return new Flood(new Map(connections.map((connection) => [connection.socket, connection])));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function read(flood: Flood, requests: number): void {
  for (let request = 0; request < requests; request++) flood.read();
}

test("a client that pipelines a few requests changes nothing for others", async () => {
  const others = [new Fake(), new Fake()];
  const flood = floodOf(others);
  read(flood, 63);
  await turn();
  read(flood, 63);
  expect(others.map(({ isRead }) => isRead)).toEqual([true, true]);
});

test("in a flood, connections with a response are read, and of the others one per tick, newest first", async () => {
  const others = Array.from({ length: 6 }, () => new Fake());
  const [plain, ...unknown] = others as [Fake, ...Fake[]];
  plain.responseCount = 1;
  const flood = floodOf(others);
  read(flood, 64);
  expect(plain.isRead).toBe(true);
  const readAgain: number[] = [];
  while (readAgain.length < unknown.length) {
    expect(unknown.filter(({ isRead }) => isRead)).toHaveLength(readAgain.length);
    await turn();
    readAgain.push(unknown.findIndex(({ isRead }, index) => isRead && !readAgain.includes(index)));
  }
  expect(readAgain).toEqual([4, 3, 2, 0, 1]);
});

test("new connections are accepted first, and then read before the others", async () => {
  const old = Array.from({ length: 3 }, () => new Fake());
  const flood = floodOf(old);
  read(flood, 64);
  const newcomers = Array.from({ length: 15 }, () => new Fake());
  for (const newcomer of newcomers) {
    flood.admit(newcomer);
    await turn();
  }
  expect([...old, ...newcomers].some(({ isRead }) => isRead)).toBe(false);
  const last = new Fake();
  flood.admit(last);
  await turn();
  expect(last.isRead).toBe(true);
  await turn();
  expect(newcomers.at(-1)?.isRead).toBe(true);
});

test("a connection that Node has just accepted is not read before its turn", async () => {
  const flood = floodOf([new Fake()]);
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const admitted = new Promise<Socket>((resolve) => {
    server.on("connection", (socket) => {
      read(flood, 64);
      flood.admit({ socket, responseCount: 0, waiting: 0, hasPipelined: false });
      resolve(socket);
    });
  });
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let isWritten = false;
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n", () => (isWritten = true));
  const socket = await admitted;
  // While new connections arrive, no old one is read again.
  for (let newcomer = 0; newcomer < 15; newcomer++) {
    flood.admit(new Fake());
    await turn();
    expect(socket.bytesRead).toBe(0);
  }
  expect(isWritten).toBe(true);
  const [heard] = (await once(client, "data")) as [Buffer];
  expect(heard.toString("latin1", 0, 15)).toBe("HTTP/1.1 200 OK");
});

test("a connection with waiting requests stays paused", async () => {
  const waiting = new Fake();
  const flood = floodOf([waiting]);
  read(flood, 64);
  waiting.waiting = 1;
  await turn();
  expect(waiting.isRead).toBe(false);
});

test("sixteen responses are composed per tick, in order", async () => {
  const flood = floodOf([]);
  const composed: number[] = [];
  for (let answer = 0; answer < 40; answer++) flood.compose(() => composed.push(answer));
  const counts = [];
  for (let turns = 0; turns < 3; turns++) {
    await turn();
    counts.push(composed.length);
  }
  expect(counts).toEqual([16, 32, 40]);
  expect(composed).toEqual(Array.from({ length: 40 }, (_, answer) => answer));
});

test("while connections are paused, one response is composed per tick", async () => {
  const flood = floodOf(Array.from({ length: 3 }, () => new Fake()));
  read(flood, 64);
  let composed = 0;
  for (let answer = 0; answer < 40; answer++) flood.compose(() => (composed += 1));
  const counts = [];
  for (let turns = 0; turns < 4; turns++) {
    await turn();
    counts.push(composed);
  }
  expect(counts).toEqual([1, 2, 18, 34]);
});
