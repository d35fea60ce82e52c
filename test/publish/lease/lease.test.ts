/**
 * The lease from the holder's side (docs/spec/publishing.md#one-writer, #clocks): how it recognises its own renewals,
 * and which clock it uses.
 */
import { beforeEach, expect, test } from "vitest";
import { WatchedClock } from "../../../publish/clock/clock.ts";
import { Lease } from "../../../publish/lease/lease.ts";
import { DEFAULT_PACE, readLease, STANDBY_PACE } from "../../../publish/lease/lease-record.ts";
import { announce } from "../../../publish/lease/standby-record.ts";
import type { ClockBounds } from "../../../src/object-store/clock-offset.ts";
import { type StoreClock, StoreConflict, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { START } from "../world.ts";

/** A store that can store a put but lose its response, and whose clock can differ. */
class OddStore extends MemoryStore implements StoreClock {
  losing = false;
  skew = 0;
  measurements = 0;
  #report: ((bounds: ClockBounds) => void) | undefined;

  override async put(...put: Parameters<MemoryStore["put"]>): ReturnType<MemoryStore["put"]> {
    const tag = await super.put(...put);
    if (this.losing) throw new StoreUnavailable("no response");
    return tag;
  }

  async measureClock(): Promise<ClockBounds> {
    this.measurements++;
    return { least: this.skew, most: this.skew };
  }

  watchClock(_: () => number, report: (bounds: ClockBounds) => void): void {
    this.#report = report;
    this.report();
  }

  /** Reports the store's clock, as each of its responses does. */
  report(): void {
    this.#report?.({ least: this.skew, most: this.skew });
  }
}

let now: number;
let store: OddStore;
const clock = new WatchedClock({ wall: () => now, monotonic: () => now });
const take = () => Lease.take(store, clock, { holder: "me", holderName: "me" }, undefined);
beforeEach(() => {
  now = START;
  store = new OddStore();
});

test("a holder recognises its own renewal that was stored without a response", async () => {
  const lease = await take();
  now += DEFAULT_PACE.renewMs;
  store.losing = true;
  await expect(lease.renew({})).rejects.toThrow(StoreUnavailable);
  store.losing = false;
  now += 3_000;
  await lease.beforePut();
  expect((await readLease(store))?.record).toMatchObject({ epoch: 1, renewedAt: new Date(now).toISOString() });
});

test("a holder loses a lease that another publisher took", async () => {
  const lease = await take();
  await Lease.take(store, clock, { holder: "other", holderName: "other" }, await readLease(store));
  now += DEFAULT_PACE.renewMs;
  await expect(lease.beforePut()).rejects.toMatchObject({ code: "lease_lost" });
  await expect(lease.renew({})).rejects.toMatchObject({ code: "lease_lost" });
});

test("a recent announcement of another standby selects the standby's pace, and the holder's own does not", async () => {
  const paceAfter = async (standby: string, ago: number) => {
    store = new OddStore();
    const lease = await take();
    now += DEFAULT_PACE.renewMs;
    await announce(store, standby, now - ago, undefined);
    await lease.renew({});
    return (await readLease(store))?.record.ttlMs;
  };
  expect(await paceAfter("other", 2_000)).toBe(STANDBY_PACE.ttlMs);
  expect(await paceAfter("other", 7_000)).toBe(DEFAULT_PACE.ttlMs);
  expect(await paceAfter("me", 2_000)).toBe(DEFAULT_PACE.ttlMs);
});

test("a wrong clock is reported from two seconds on, and beyond a minute nothing is put", async () => {
  for (const [skew, reported] of [
    [-2_000, null],
    [2_001, 2_001],
    [-60_000, -60_000],
  ] as const) {
    store = new OddStore();
    store.skew = skew;
    await take();
    expect((await readLease(store))?.record.clockSkewMs).toBe(reported);
    expect(store.measurements).toBe(0);
  }
  store = new OddStore();
  const lease = await take();
  store.skew = 60_001;
  store.report();
  now += DEFAULT_PACE.renewMs;
  for (let times = 0; times < 2; times++) {
    await expect(lease.beforePut()).rejects.toMatchObject({ code: "clock_skew" });
  }
  expect([store.puts, store.measurements]).toEqual([["status.json"], 1]);
  store = new OddStore();
  store.skew = -60_001;
  await expect(take()).rejects.toMatchObject({ code: "clock_skew" });
  expect(store.puts).toEqual([]);
});

test.each([40_000, -3_600_000])(
  "after its clock moved by %i ms, a holder puts nothing but the release",
  async (byMs) => {
    let moved = 0;
    const moving = new WatchedClock({ wall: () => now + moved, monotonic: () => now });
    const lease = await Lease.take(store, moving, { holder: "me", holderName: "me" }, undefined);
    await lease.beforePut();
    const { renewedAt } = (await readLease(store))?.record ?? {};
    moved = byMs;
    for (let times = 0; times < 2; times++) {
      await expect(lease.beforePut()).rejects.toMatchObject({ code: "clock_moved" });
      await expect(lease.renew({})).rejects.toMatchObject({ code: "clock_moved" });
    }
    expect(store.puts).toEqual(["status.json"]);
    await lease.release({});
    expect((await readLease(store))?.record).toMatchObject({ released: true, clockMoved: true, renewedAt });
  },
);

test("after its clock moved, a holder also releases a lease whose last renewal had no response", async () => {
  let moved = 0;
  const moving = new WatchedClock({ wall: () => now + moved, monotonic: () => now });
  const lease = await Lease.take(store, moving, { holder: "me", holderName: "me" }, undefined);
  now += DEFAULT_PACE.renewMs;
  store.losing = true;
  await expect(lease.renew({})).rejects.toThrow(StoreUnavailable);
  store.losing = false;
  moved = -3_600_000;
  await lease.release({});
  expect((await readLease(store))?.record).toMatchObject({ released: true, clockMoved: true });
});

test("a clock that the store's clock shows to have moved is reported as moved", async () => {
  let moved = 0;
  const moving = new WatchedClock({ wall: () => now + moved, monotonic: () => now });
  const lease = await Lease.take(store, moving, { holder: "me", holderName: "me" }, undefined);
  moved = -3_600_000;
  store.skew = moved;
  store.report();
  await lease.release({});
  expect((await readLease(store))?.record).toMatchObject({ released: true, clockMoved: true });
});

test("a holder whose machine slept leaves another publisher's lease as it is", async () => {
  let slept = 0;
  const asleep = new WatchedClock({ wall: () => now + slept, monotonic: () => now });
  const lease = await Lease.take(store, asleep, { holder: "me", holderName: "me" }, undefined);
  await Lease.take(store, clock, { holder: "other", holderName: "other" }, await readLease(store));
  slept = 3_600_000;
  await lease.release({});
  expect((await readLease(store))?.record).toMatchObject({ holder: "other", released: false });
});

test("a store that refuses the holder's own tag is store_unavailable after two tries", async () => {
  const lease = await take();
  now += DEFAULT_PACE.renewMs;
  const put = store.put.bind(store);
  let puts = 0;
  store.put = async (...[key, object, condition]: Parameters<MemoryStore["put"]>) => {
    if (condition === undefined || !("ifTag" in condition)) return put(key, object, condition);
    puts++;
    throw new StoreConflict(key);
  };
  await expect(lease.renew({})).rejects.toThrow(StoreUnavailable);
  expect(puts).toBe(2);
});

test("a renewal before a put reports the newest cycle", async () => {
  const lease = await take();
  const lastCycleAt = new Date(START).toISOString();
  lease.onRenewal(() => ({ lastCycleAt }));
  now += DEFAULT_PACE.renewMs;
  await lease.beforePut();
  expect((await readLease(store))?.record).toMatchObject({ lastCycleAt });
});
