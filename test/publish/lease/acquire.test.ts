/**
 * Active and standby publishers (docs/spec/publishing.md#one-writer): only one puts, and a publisher that lost the
 * lease puts nothing more.
 */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Known } from "../../../publish/known.ts";
import type { Lease } from "../../../publish/lease/lease.ts";
import { readLease } from "../../../publish/lease/lease-record.ts";
import { standby, type TakenLease } from "../../../publish/lease/take.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
let known: Known;
beforeEach(() => {
  world = new World();
  known = Known.open(join(world.folder, "standby"));
});
afterEach(() => {
  known.close();
  world.end();
});

const taken: TakenLease[] = [];
const waiting = () =>
  standby({
    onTaken: (lease) => taken.push(lease),
    store: world.store,
    clock: world.clock,
    identity: { holder: crypto.randomUUID(), holderName: "standby" },
    known,
  });

/** Polls every two seconds, as `publish` does, until it has the lease. Runs `each` before every poll. */
async function acquireUntil(tryAcquire: () => Promise<Lease | undefined>, end: number, each = async () => {}) {
  for (; world.now <= end; world.now += 2000) {
    await each();
    const lease = await tryAcquire();
    if (lease !== undefined) return lease;
  }
  return undefined;
}

test("a standby waits while the holder lives, and takes over within 20 s of its death", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const { tryAcquire } = waiting();
  const holderLives = () => worker.publisher.renewIfDue(undefined);
  expect(await acquireUntil(tryAcquire, START + 130_000, holderLives)).toBeUndefined();
  const died = world.now;
  worker.kill();
  const lease = await acquireUntil(tryAcquire, died + 60_000);
  expect(lease?.epoch).toBe(2);
  expect(world.now - died).toBeLessThanOrEqual(20_000);
});

test("a takeover reports the former holder and the reason", async () => {
  const dies = await world.work();
  const from = (await readLease(world.store))?.record.holderName;
  dies.kill();
  taken.length = 0;
  const silent = await acquireUntil(waiting().tryAcquire, world.now + 60_000);
  await silent?.release({});
  const released = await acquireUntil(waiting().tryAcquire, world.now + 60_000);
  await released?.release({});
  expect(taken.map(({ epoch, because }) => [epoch, because])).toEqual([
    [2, "silent"],
    [3, "released"],
  ]);
  expect(taken[0]?.from).toBe(from);
});

test("a publisher without a cycle of its own reports the previous holder's last cycle", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
  const lastCycleAt = async () => (await readLease(world.store))?.record.lastCycleAt;
  const before = await lastCycleAt();
  expect(before).toBe(new Date(START + 10_000).toISOString());
  const again = await world.work();
  world.now += 10_000;
  await again.publisher.renewIfDue(undefined);
  expect(await lastCycleAt()).toBe(before);
  await again.stop();
  expect(await lastCycleAt()).toBe(before);
});

test("a holder that resumes after a takeover puts and deletes nothing", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const { tryAcquire } = waiting();
  expect(await acquireUntil(tryAcquire, world.now + 60_000)).toBeDefined();
  const before = await world.body(`/v1/public/installations/${INSTALLATION}/observations`);
  world.receive(2);
  const puts = world.store.puts.length;
  await expect(worker.cycle(world.now)).rejects.toMatchObject({ code: "lease_lost" });
  expect(world.store.puts.slice(puts).filter((key) => key !== "status.json")).toEqual([]);
  expect(await world.body(`/v1/public/installations/${INSTALLATION}/observations`)).toBe(before);
  worker.kill();
});

test("a released lease is taken immediately, and time does not go back", async () => {
  const worker = await world.work();
  await worker.cycle(START + 50_000);
  await worker.stop();
  world.now = START;
  expect((await waiting().tryAcquire())?.epoch).toBe(2);
  expect(Number(known.rows.meta("at"))).toBe(START + 50_000);
  expect((await readLease(world.store))?.record.released).toBe(false);
});
