/** A publisher's requests to a real S3 server, counted on the wire. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { START, type Worker, World } from "../../publish/world.ts";
import { type FaultProxy, startFaultProxy } from "../fault-proxy.ts";
import { useS3Server } from "../use-servers.ts";
import { BUCKET, s3Store } from "./s3-store.ts";

const INTERVAL = 5_000;
const logOf = (size: number) => [
  "PUT private/log/checkpoint",
  `PUT private/log/tile/0/000.p/${size}`,
  `PUT private/log/tile/entries/000.p/${size}`,
];
const TILE = "PUT v1/public/installations/~wheel-1/observations/0";
const HEAD = "PUT private/head.json";

const server = useS3Server();
let proxy: FaultProxy;
let world: World;
let worker: Worker;
beforeAll(async () => {
  proxy = await startFaultProxy(server().endpoint);
});
afterAll(() => proxy?.stop());
beforeEach(async () => {
  world = new World();
  world.receive(5);
  // The world's time is fixed but the server's is not, so the store's clock is stubbed. It causes no requests itself.
  const inStep = { measureClock: async () => ({ least: 0, most: 0 }), watchClock: () => {} };
  const store = Object.assign(s3Store(server(), { endpoint: proxy.endpoint }), inStep);
  await store.probe();
  worker = await world.work({ store, minimumPutInterval: INTERVAL });
  await worker.cycle(START + 16_000);
});
afterEach(async () => {
  await worker?.stop();
  world.end();
});

/** Requests such as `PUT v1/public/telemetry`, sorted. */
const requestsDuring = async (work: () => Promise<unknown>) => {
  proxy.seen.length = 0;
  await work();
  const root = new RegExp(`/${BUCKET}/folder/\\d+/([^?]+)(\\?x-id=\\w+)?$`);
  return proxy.seen.map((line) => line.replace(root, "$1")).toSorted();
};

/** One tick of the schedule per second, as in `publish`. */
async function turnUntil(end: number): Promise<void> {
  for (; world.now <= end; world.now += 1_000) {
    if (!worker.publisher.isIdle(world.now)) await worker.cycle(world.now);
    await worker.publisher.renewIfDue();
  }
}

test("the probe at start is six small puts, a look at each refused one, a delete, a list and a look at the clock", async () => {
  const store = s3Store(server(), { endpoint: proxy.endpoint });
  const requests = await requestsDuring(() => store.probe());
  const puts = Array.from({ length: 6 }, () => "PUT probe");
  const looks = Array.from({ length: 4 }, () => "GET probe");
  expect(requests.map((line) => line.replace(/\?.*list-type.*/, " list").split("/")[0])).toEqual([
    "DELETE probe",
    "GET ",
    ...looks,
    "HEAD probe",
    ...puts,
  ]);
});

test("one new receipt is seven puts and nothing else: the head, the log's files, telemetry, process and its tile", async () => {
  world.receive(1);
  world.now = START + 21_000;
  await worker.publisher.renewIfDue();
  expect(await requestsDuring(() => worker.cycle(START + 21_000))).toEqual([
    HEAD,
    ...logOf(6),
    TILE,
    "PUT v1/public/telemetry",
    "PUT v4/public/process",
  ]);
});

test("idle for a minute: twelve renewals of the lease and nothing else", async () => {
  await turnUntil(START + 26_000);
  expect(await requestsDuring(() => turnUntil(START + 86_000))).toEqual(Array.from({ length: 12 }, () => HEAD));
});

test("receipts that arrive faster than the minimum put interval share their puts", async () => {
  world.receive(1);
  await turnUntil(START + 21_000);
  const requests = await requestsDuring(async () => {
    for (const at of [22_000, 23_000, 24_000, 25_000]) {
      world.receive(1);
      await turnUntil(START + at);
    }
    await turnUntil(START + 26_000);
  });
  expect(requests.filter((line) => line !== HEAD)).toEqual([
    ...logOf(10),
    TILE,
    "PUT v1/public/telemetry",
    "PUT v4/public/process",
  ]);
});
