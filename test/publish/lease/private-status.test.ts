/** The public status in the lease object, and the private status (docs/spec/publishing.md#private-status). */
import { hostname } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parsePrivateStatus, readPrivateStatus } from "../../../publish/lease/holder.ts";
import { readLease } from "../../../publish/lease/lease-record.ts";
import { PRIVATE_STATUS_KEY, STATUS_KEY } from "../../../src/http/keys.ts";
import { INSTALLATION, receive, START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const SITE = { program: "1.0.0", deployment: null, chainMaxAge: 600_000, files: [] };
const text = async (key: string) => new TextDecoder().decode((await world.store.get(key))?.body);
const status = async () => JSON.parse(await text(PRIVATE_STATUS_KEY));
const privatePuts = () => world.store.puts.filter((key) => key === PRIVATE_STATUS_KEY).length;

test("only the private status has the host, paths, problems and other installations' ids", async () => {
  world.receive(3);
  world.receive(2, 2, "wheel-2");
  world.store.failPuts = (key) => key === "v1/public/modules";
  const worker = await world.work({ site: SITE });
  await worker.cycle(START + 10_000);
  await worker.stop();
  const lease = await text(STATUS_KEY);
  for (const secret of ["test", hostname(), world.folder, "wheel-2", "is refused"]) expect(lease).not.toContain(secret);
  expect(JSON.parse(lease).report).toMatchObject({
    problems: 1,
    others: { count: 1, byStatus: { 200: 1 }, overdue: 0, oldestAt: new Date(START + 10_000).toISOString() },
    resources: { "v1/public/telemetry": { status: 200 } },
  });
  expect(await status()).toMatchObject({
    schemaVersion: 1,
    epoch: 1,
    holderName: "test",
    failed: [{ key: "v1/public/modules", why: "v1/public/modules is refused" }],
    failures: [],
    sources: { ledger: world.ledgerPath, chain: "none" },
    worst: [{ installationId: "wheel-2" }],
  });
});

test("the private status is put immediately, then on changes at most every five minutes, and at the end", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const renew = async (until: number) => {
    for (; world.now <= until; world.now += 5_000) await worker.publisher.renewIfDue(undefined);
  };
  await renew(START + 400_000);
  expect(privatePuts()).toBe(1);
  world.store.failPuts = (key) => key === "v1/public/modules";
  world.ledger.exec("UPDATE receipt SET core_status = 'IDLE' WHERE position = 3");
  await renew(START + 420_000);
  expect(privatePuts()).toBe(1);
  world.receive(1, 2, "wheel-2");
  await worker.cycle(world.now);
  await renew(world.now + 20_000);
  expect(privatePuts()).toBe(2);
  world.receive(1, 3, "wheel-3");
  await worker.cycle(world.now);
  await renew(START + 700_000);
  expect(privatePuts()).toBe(2);
  await renew(START + 760_000);
  expect(privatePuts()).toBe(3);
  world.receive(1, 4, "wheel-4");
  await worker.cycle(world.now);
  await worker.stop();
  expect(privatePuts()).toBe(4);
  expect((await status()).worst).toHaveLength(3);
});

test("a private status that is damaged or an earlier holder's is rewritten, and never used as the holder's", async () => {
  const first = await world.work();
  await first.stop();
  world.store.damage(PRIVATE_STATUS_KEY);
  const second = await world.work();
  const record = (await readLease(world.store))?.record;
  expect(record).toBeDefined();
  if (record === undefined) return;
  expect(await readPrivateStatus(world.store, record)).toBeUndefined();
  await second.cycle(START + 1_000);
  await second.publisher.renewIfDue(undefined);
  expect(await readPrivateStatus(world.store, record)).toMatchObject({ epoch: 2, holderName: "test" });
  await second.stop();
  const third = await world.work();
  const next = (await readLease(world.store))?.record;
  expect(next && (await readPrivateStatus(world.store, next))).toBeUndefined();
  third.kill();
});

test("a store that rejects the private status does not prevent the lease's release", async () => {
  const worker = await world.work();
  await worker.cycle(START + 1_000);
  world.store.failPuts = (key) => key === PRIVATE_STATUS_KEY;
  await worker.stop();
  expect((await readLease(world.store))?.record.released).toBe(true);
});

test("with 10,000 installations the lease object and the private status stay below 64 kB", async () => {
  receive(world.ledger, 3, { rowId: 1, id: INSTALLATION });
  const worker = await world.work({ site: SITE });
  for (let n = 2; n <= 10_000; n++) {
    const at = START + n;
    const states = [{ from: at, fingerprint: "i" }];
    const key = `v1/public/installations/~${"w".repeat(100)}-${n}/telemetry`;
    worker.known.objects.remember({
      key,
      condition: "stored",
      tag: "1",
      states,
      sourceVersion: { at },
      status: 200,
      bytes: 1,
      etag: '"t"',
      putAt: at,
    });
  }
  await worker.cycle(START + 20_000);
  await worker.stop();
  expect((await text(STATUS_KEY)).length).toBeLessThan(64_000);
  expect((await text(PRIVATE_STATUS_KEY)).length).toBeLessThan(64_000);
  const others = JSON.parse(await text(STATUS_KEY)).report.others;
  expect(others).toMatchObject({ oldestAt: new Date(START + 2).toISOString() });
  expect(others.count).toBeGreaterThanOrEqual(9_999);
  expect((await status()).worst[0].installationId).toBe(`${"w".repeat(100)}-2`);
});

test("/status.json is served as soon as a new publisher has the lease, and the sources are unknown until its first cycle", async () => {
  world.receive(3);
  await world.work({ site: SITE });
  const response = await world.read("/status.json");
  expect(response.status).toBe(200);
  expect(JSON.parse(new TextDecoder().decode(response.body))).toMatchObject({
    installationId: INSTALLATION,
    publisher: { state: "live", lastCycleAt: null },
    log: null,
    deploymentHash: null,
    responses: {},
    sources: { ledger: { status: "unknown", newestReceiptAt: null }, chain: { status: "unknown" } },
  });
});

test("control characters in a holder's name are escaped for the operator's terminal", () => {
  const hostile = {
    schemaVersion: 1,
    epoch: 1,
    holder: "token",
    holderName: "host 1\u001b[2J\r\nproblems    none\u202e",
    failures: [{ code: "x", message: "\u001b]0;title\u0007" }],
  };
  const status = parsePrivateStatus(Buffer.from(JSON.stringify(hostile)));
  expect(status.holderName).toBe("host 1\\u001b[2J\\u000d\\u000aproblems    none\\u202e");
  expect(JSON.stringify(status.failures)).not.toMatch(/(?<!\\)\\u00/);
});

test("the private status has the stream's position only once all of its facts are published", async () => {
  const follow = (sequence: number) => {
    world.ledger.exec("DELETE FROM followed_stream");
    world.ledger.exec(`INSERT INTO followed_stream VALUES (1, 'FACTS', 'then', NULL, ${sequence}, 5, 'hash', 1)`);
  };
  follow(3);
  world.receive(3);
  const worker = await world.work();
  world.store.failPuts = (key) => key === "private/log/1/checkpoint";
  await worker.cycle(START + 10_000);
  await worker.publisher.renewIfDue(undefined);
  expect((await status()).stream).toBeUndefined();
  follow(5);
  world.receive(2);
  world.store.failPuts = () => false;
  await worker.cycle(START + 50_000);
  // The first position does not wait for the next report.
  await worker.publisher.renewIfDue(undefined);
  const position = {
    name: "FACTS",
    createdAt: "then",
    subject: null,
    message: { sequence: 3, time: 5, sha256: "hash" },
    sequence: 3,
    rules: 1,
  };
  expect((await status()).stream).toMatchObject({ log: 1, size: 3, position });
  expect(privatePuts()).toBe(2);
  await worker.cycle(START + 51_000);
  follow(6);
  await worker.stop();
  expect((await status()).stream).toMatchObject({ size: 5, position: { sequence: 5 } });
});
