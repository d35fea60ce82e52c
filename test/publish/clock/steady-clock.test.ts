/**
 * The clock that a publisher uses for publishing (docs/spec/publishing.md#moved-clock). The tests set both clocks and
 * do not wait.
 */

import { afterEach, beforeEach, expect, test } from "vitest";
import { repairStore } from "../../../bin/cli/repair-store.ts";
import { movedBy, SteadyClock } from "../../../publish/clock/clock.ts";
import { DEFAULT_PACE, readLease } from "../../../publish/lease/lease-record.ts";
import { START, World } from "../world.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEARS = 6 * 365 * 24 * HOUR;

/** Milliseconds. The wall clock is ahead of the monotonic clock by `apart`. */
let monotonic: number;
let apart: number;
let clock: SteadyClock;
beforeEach(() => {
  [monotonic, apart] = [0, START];
  clock = new SteadyClock({ wall: () => monotonic + apart, monotonic: () => monotonic });
});

/** Checks once a second and returns the reports. */
function pass(seconds: number): unknown[] {
  const found: unknown[] = [];
  for (let second = 0; second < seconds; second++) {
    monotonic += SECOND;
    const move = clock.check();
    if (move !== undefined) found.push(move);
  }
  return found;
}

test("a clock that jumps an hour and returns after 15 s changes nothing, and both jumps are reported within a second", () => {
  for (const step of [HOUR, -HOUR, 24 * HOUR]) {
    const before = clock.wall();
    apart += step;
    expect(clock.wall()).toBe(before);
    expect(pass(1)).toEqual([{ kind: "moved", byMs: step }]);
    expect(movedBy(clock)).toBe(step);
    expect(pass(14)).toEqual([]);
    expect(clock.wall()).toBe(before + 15 * SECOND);
    apart -= step;
    expect(pass(1)).toEqual([{ kind: "returned" }]);
    expect([clock.wall(), movedBy(clock)]).toEqual([before + 16 * SECOND, 0]);
  }
  expect(clock.moves).toBe(3);
});

test("a moved clock is used only after a steady minute", () => {
  apart += HOUR;
  expect(pass(60)).toEqual([{ kind: "moved", byMs: HOUR }]);
  expect(clock.wall()).toBe(START + 60 * SECOND);
  expect(pass(1)).toEqual([{ kind: "accepted", byMs: HOUR, because: "steady" }]);
  expect(clock.wall()).toBe(START + HOUR + 61 * SECOND);
});

test("each jump restarts the steady minute", () => {
  for (let times = 0; times < 10; times++) {
    apart += times % 2 === 0 ? HOUR : -HOUR / 2;
    pass(30);
  }
  expect([clock.wall(), clock.moves]).toEqual([START + 300 * SECOND, 10]);
});

test("a machine that boots with a clock years behind publishes by the corrected clock after a minute", () => {
  apart -= YEARS;
  clock = new SteadyClock({ wall: () => monotonic + apart, monotonic: () => monotonic });
  expect(clock.wall()).toBe(START - YEARS);
  apart += YEARS;
  pass(61);
  expect(clock.wall()).toBe(START + 61 * SECOND);
});

test("a moved clock is accepted immediately if the store's clock agrees, and not if it differs", () => {
  let aheadOfStore: number | undefined;
  clock.compareWith(() => aheadOfStore);
  apart += HOUR;
  aheadOfStore = HOUR;
  expect(pass(30)).toEqual([{ kind: "moved", byMs: HOUR }]);
  aheadOfStore = 1_900;
  expect(pass(1)).toEqual([{ kind: "accepted", byMs: HOUR, because: "store" }]);
  expect(clock.wall()).toBe(START + HOUR + 31 * SECOND);
});

test("corrections of up to a second, such as NTP's, are followed", () => {
  for (let times = 0; times < 5; times++) {
    apart += 900;
    expect(pass(1)).toEqual([]);
    expect(clock.wall()).toBe(monotonic + apart);
  }
  expect(clock.moves).toBe(0);
});

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** A publisher of the world with the steady clock over test clocks. Runs cycles like its schedule. */
async function publisherBy(steady: SteadyClock, state = "state") {
  const worker = await world.work({ clock: steady, state });
  const cycle = async () => worker.publisher.cycle(worker.publisher.instant(steady.wall()));
  return { worker, cycle };
}

test("no object, lease or state that is written while the clock is an hour ahead has that time", async () => {
  const { worker, cycle } = await publisherBy(clock);
  await cycle();
  pass(3);
  apart += HOUR;
  world.receive(1);
  await cycle();
  await worker.publisher.renewIfDue(undefined);
  const { record } = (await readLease(world.store)) as { record: { clockMovedMs: number | null } };
  expect(record).toMatchObject({ clockMovedMs: HOUR, renewedAt: "2026-11-20T10:00:03.000Z" });
  const telemetry = await world.store.get("v1/public/telemetry");
  expect(JSON.parse(telemetry?.metadata["source-version"] ?? "")).toMatchObject({ at: START + 3 * SECOND });
  apart -= HOUR;
  pass(1);
  await worker.publisher.renewIfDue(undefined);
  expect((await readLease(world.store))?.record).toMatchObject({ clockMovedMs: null });
  expect(await world.body("/v1/public/telemetry", START + 7 * SECOND)).toContain('"online"');
  await worker.stop();
  // After a restart nothing is from the future either.
  const again = await publisherBy(clock);
  await again.cycle();
  await again.worker.stop();
});

test("a publisher behind its own responses releases the lease and reports why, until a repair under a correct clock", async () => {
  const wrong = await publisherBy(clock);
  world.receive(1);
  apart += HOUR;
  pass(61);
  await wrong.cycle();
  apart -= HOUR;
  pass(61);
  const failure = await wrong.cycle().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "clock_behind", hint: expect.stringContaining("noonmark fsck --repair") });
  await wrong.worker.publisher.release(failure);
  wrong.worker.kill();
  const left = (await readLease(world.store))?.record;
  expect(left).toMatchObject({ released: true, report: { problems: 1 } });
  const status = await world.store.get("private/status.json");
  expect(Buffer.from(status?.body ?? []).toString()).toContain("clock_behind");

  const repairer = await publisherBy(clock, "another");
  await repairer.worker.publisher.repair(clock.wall(), repairStore);
  await repairer.worker.stop();
  // The first publisher's state still has the future time; only the later holder's record counts.
  const again = await publisherBy(clock);
  const { at } = await again.cycle();
  expect(at).toBe(clock.wall());
  monotonic += DEFAULT_PACE.renewMs;
  await again.worker.stop();
});
