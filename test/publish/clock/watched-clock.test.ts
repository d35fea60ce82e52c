/**
 * A clock that moves, and what a publisher then does (docs/spec/publishing.md#clocks). The tests set both clocks and do
 * not wait.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { WatchedClock } from "../../../publish/clock/clock.ts";
import { refuseWrongClock } from "../../../publish/clock/compare.ts";
import { readHead } from "../../../publish/head/head.ts";
import { takeForOneRun } from "../../../publish/head/take.ts";
import type { ClockBounds } from "../../../src/object-store/clock-offset.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { START, World } from "../world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEARS = 6 * 365 * 24 * HOUR;

/** Milliseconds. The wall clock is ahead of the monotonic clock by `apart`. */
let monotonic: number;
let apart: number;
let clock: WatchedClock;
const newClock = () => new WatchedClock({ wall: () => monotonic + apart, monotonic: () => monotonic });
beforeEach(() => {
  [monotonic, apart] = [0, START];
  clock = newClock();
});

/** Checks once a second. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    monotonic += SECOND;
    clock.check();
  }
}

test.each([HOUR, -HOUR, 24 * HOUR, -YEARS, 2_001, -2_001])(
  "a step of %i ms is a move, and its return is another",
  (step) => {
    pass(100);
    apart += step;
    clock.check();
    expect([clock.moves, clock.movedMs, clock.steadyMs]).toEqual([1, step, 0]);
    pass(15);
    expect([clock.moves, clock.steadyMs]).toEqual([1, 15 * SECOND]);
    apart -= step;
    clock.check();
    expect([clock.moves, clock.movedMs, clock.steadyMs]).toEqual([2, -step, 0]);
  },
);

test("slewing by 500 ppm for a day, and a step of two seconds, are no moves", () => {
  for (let minute = 0; minute < 24 * 60; minute++) {
    apart += 30;
    pass(60);
  }
  apart += 1_970;
  pass(60);
  expect(clock.moves).toBe(0);
});

test("a change by three steps within a minute is a move, although each is small", () => {
  for (let step = 0; step < 3; step++) {
    apart += 900;
    pass(10);
  }
  expect(clock.moves).toBe(1);
});

test("a move is found after an hour without a check", () => {
  monotonic += HOUR;
  apart -= HOUR;
  clock.check();
  expect(clock.moves).toBe(1);
});

test("within a minute after a move the later time is at least the own count", () => {
  apart -= HOUR;
  clock.check();
  expect(clock.later()).toBe(START);
  pass(30);
  expect(clock.later()).toBe(START + 30 * SECOND);
  apart += 2 * HOUR;
  clock.check();
  expect(clock.later()).toBe(START + HOUR + 30 * SECOND);
  pass(61);
  expect(clock.later()).toBe(clock.wall());
});

/** A store whose clock the host is ahead of by this (ms); without a clock if absent. */
function storeBehindBy(ms?: number): ObjectStore {
  const store = { name: "the store" };
  const measured = { measureClock: async (): Promise<ClockBounds> => ({ least: ms ?? 0, most: ms ?? 0 }) };
  return (ms === undefined ? store : { ...store, ...measured }) as unknown as ObjectStore;
}

const judged = (beginning: { ms?: number; newestAt?: number; holderMoved?: boolean } = {}) =>
  refuseWrongClock({ store: storeBehindBy(beginning.ms), clock, newestAt: 0, holderMoved: false, ...beginning }).then(
    () => "good",
    ({ code }: { code: string }) => code,
  );

test("a start compares the host's clock with the store's and with the newest published instant", async () => {
  expect(await judged()).toBe("good");
  expect(await judged({ ms: 60_000 })).toBe("good");
  expect(await judged({ ms: 60_001 })).toBe("clock_skew");
  expect(await judged({ ms: -60_001 })).toBe("clock_skew");
  expect(await judged({ newestAt: START + 60_000 })).toBe("good");
  expect(await judged({ newestAt: START + 60_001 })).toBe("clock_behind");
});

test("after a move a start waits for a steady minute, or for a store that agrees", async () => {
  expect(await judged({ holderMoved: true })).toBe("clock_moved");
  expect(await judged({ ms: 30_000, holderMoved: true })).toBe("good");
  pass(61);
  expect(await judged({ holderMoved: true })).toBe("good");
  apart += HOUR;
  pass(30);
  expect(await judged()).toBe("clock_moved");
  expect(await judged({ ms: 2_001 })).toBe("clock_moved");
  expect(await judged({ ms: 2_000 })).toBe("good");
  pass(31);
  expect([await judged(), await judged({ ms: 30_000 })]).toEqual(["good", "good"]);
});

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

async function publishing(state = "state") {
  const worker = await world.work({ clock, state });
  const cycle = async () => worker.publisher.cycle(worker.publisher.instant(clock.wall()));
  return { worker, cycle };
}

test.each([HOUR, 24 * HOUR, -HOUR])(
  "nothing is published while the clock is wrong by %i ms, also not by a run beside it",
  async (by) => {
    const { worker, cycle } = await publishing();
    await cycle();
    pass(3);
    const before = await world.store.get("v1/public/telemetry");
    world.receive(1);
    const at = worker.publisher.instant(clock.wall());
    apart += by;
    await expect(worker.publisher.cycle(at)).rejects.toMatchObject({ code: "clock_moved" });
    await expect(cycle()).rejects.toMatchObject({ code: "clock_moved" });
    await worker.stop();
    expect(await world.store.get("v1/public/telemetry")).toEqual(before);
    expect((await readHead(world.store))?.head).toMatchObject({
      lease: { released: true, renewedAt: START },
      problems: [["clock_moved", 1]],
    });
    // A fresh process on the same machine.
    clock = newClock();
    await expect(publishing("another")).rejects.toMatchObject({ code: by < 0 ? "clock_behind" : "clock_moved" });
    apart -= by;
    clock = newClock();
    await expect(publishing("another")).rejects.toMatchObject({ code: "clock_moved" });
    pass(61);
    const next = await publishing("another");
    expect((await next.cycle()).at).toBe(clock.wall());
    expect((await readHead(world.store))?.head?.problems).toEqual([]);
    await next.worker.stop();
  },
);

test("a run beside a living holder does not take the lease because its own clock is an hour ahead", async () => {
  const { worker, cycle } = await publishing();
  await cycle();
  const { candidate, close } = world.open({ clock: newClock(), state: "another" });
  const ahead = {
    ...candidate,
    clock: new WatchedClock({ wall: () => monotonic + apart + HOUR, monotonic: () => monotonic }),
  };
  const pause = async (ms: number) => {
    monotonic += ms;
    await worker.publisher.renewIfDue();
  };
  await expect(takeForOneRun(ahead, pause)).rejects.toMatchObject({ code: "lease_held" });
  expect((await readHead(world.store))?.head?.lease.epoch).toBe(worker.held.epoch);
  close();
  await worker.stop();
});

test("what was published ahead of the clock is clock_behind, until the clock has caught up or is accepted", async () => {
  const { worker, cycle } = await publishing();
  world.receive(1);
  await cycle();
  await worker.stop();
  apart -= HOUR;
  clock = newClock();
  await expect(publishing()).rejects.toMatchObject({ code: "clock_behind" });
  const accepted = await world.work({ clock, state: "other", opens: { acceptClock: true } });
  await accepted.once(clock.wall());
  await accepted.stop();
  const again = await publishing();
  expect((await again.cycle()).at).toBe(clock.wall());
  await again.worker.stop();
});

test("a stopped publisher whose clock has moved meanwhile says so, and releases the lease", async () => {
  const { worker, cycle } = await publishing();
  await cycle();
  apart -= HOUR;
  await worker.stop();
  expect((await readHead(world.store))?.head).toMatchObject({
    lease: { released: true, renewedAt: START },
    problems: [["clock_moved", 1]],
  });
});
