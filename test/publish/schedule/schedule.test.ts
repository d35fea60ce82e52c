/** Ticks and renewals with a clock and timers that the test controls (docs/spec/publishing.md#clocks). */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Timers } from "../../../publish/clock/timers.ts";
import type { CycleReport } from "../../../publish/report.ts";
import { runSchedule, type Scheduled } from "../../../publish/schedule/schedule.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";

const SECOND = 1_000;
const REPORT: CycleReport = { at: 0, rows: [], failures: [], warnings: [] };

/** The wall clock is ahead of the monotonic clock by this (ms). */
const APART = Date.parse("2026-11-20T10:00:00.500Z");

let monotonic: number;
let timers: Set<{ at: () => number; fire: () => void }>;
let stop: AbortController;
let turns: number[];
let renewals: number;
let outages: string[];
let rests: number;
let finished: number;
let isIdle: boolean;
let cycle: () => Promise<CycleReport>;
let renew: () => Promise<void>;

const wall = () => monotonic + APART;
beforeEach(() => {
  [monotonic, renewals, rests, finished] = [0, 0, 0, 0];
  isIdle = false;
  [turns, outages, timers, stop] = [[], [], new Set(), new AbortController()];
  cycle = async () => REPORT;
  renew = async () => {};
});
afterEach(() => stop.abort());

function add(at: () => number, fire: () => void): () => void {
  const timer = { at, fire };
  timers.add(timer);
  return () => timers.delete(timer);
}

/**
 * A schedule of every `everyMs` of the wall clock. Like the system's timers, it waits for an instant that it chose when
 * it was armed.
 */
const fake = (everyMs: number): Timers => ({
  cron(_, fire) {
    const after = (instant: number) => (Math.floor(instant / everyMs) + 1) * everyMs;
    let next = after(wall());
    return add(
      () => next - APART,
      () => {
        next = after(wall());
        fire();
      },
    );
  },
  every(ms, fire) {
    let next = monotonic + ms;
    return add(
      () => next,
      () => {
        next += ms;
        fire();
      },
    );
  },
  after(ms, fire) {
    const at = monotonic + ms;
    const cancel = add(
      () => at,
      () => {
        cancel();
        fire();
      },
    );
    return cancel;
  },
});

function run(everyMs = SECOND, timers = fake(everyMs)): Promise<void> {
  const publisher: Scheduled = {
    instant: (now) => now,
    isIdle: () => isIdle,
    nextDue: () => undefined,
    scrubIfDue: async () => {},
    cycle: () => {
      turns.push(monotonic);
      return cycle();
    },
    renewIfDue: () => {
      renewals++;
      return renew();
    },
  };
  return runSchedule(publisher, {
    cadence: "of the fake",
    clock: { wall, monotonic: () => monotonic },
    timers,
    signal: stop.signal,
    onCycle: () => {},
    onOutage: ({ message }) => void outages.push(message),
    onIdle: () => void rests++,
    onTick: () => void finished++,
  });
}

/** Advances time and fires each timer at its instant. */
async function pass(ms: number): Promise<void> {
  const end = monotonic + ms;
  for (;;) {
    const due = [...timers].filter(({ at }) => at() <= end).sort((a, b) => a.at() - b.at())[0];
    if (due === undefined) break;
    monotonic = Math.max(monotonic, due.at());
    due.fire();
    await settled();
  }
  monotonic = end;
}

const settled = () => new Promise(setImmediate);

test("a tick is finished when it has nothing to do or its cycle is done, and not when its cycle fails", async () => {
  void run();
  await settled();
  expect(finished).toBe(1);
  isIdle = true;
  await pass(2 * SECOND);
  expect(finished).toBe(3);
  isIdle = false;
  cycle = async () => {
    throw new StoreUnavailable("down");
  };
  await pass(2 * SECOND);
  expect(finished).toBe(3);
});

test("the lease is renewed during a long cycle, and with a cadence of five minutes", async () => {
  const long = Promise.withResolvers<CycleReport>();
  cycle = () => long.promise;
  void run(300 * SECOND);
  await pass(60 * SECOND);
  expect([turns.length, renewals]).toEqual([1, 60]);
  long.resolve(REPORT);
});

test("a running renewal is not repeated, a failed one is reported, and a lost lease ends the publisher after the cycle", async () => {
  const first = Promise.withResolvers<void>();
  renew = () => first.promise;
  const cycles = Promise.withResolvers<CycleReport>();
  cycle = () => cycles.promise;
  const ended = run();
  const outcome = ended.then(
    () => "ended",
    (error: Failure) => error.code,
  );
  await pass(5 * SECOND);
  expect(renewals).toBe(1);
  first.reject(new StoreUnavailable("no answer"));
  await settled();
  expect(outages).toEqual(["no answer"]);
  renew = () => Promise.reject(new Failure("lease_lost", "another has it", { hint: "wait" }));
  await pass(2 * SECOND);
  expect(await Promise.race([outcome, settled().then(() => "runs")])).toBe("runs");
  cycles.resolve(REPORT);
  expect(await outcome).toBe("lease_lost");
  expect(timers.size).toBe(0);
});

test("a signal lets the running cycle end, and leaves no timer", async () => {
  const cycles = Promise.withResolvers<CycleReport>();
  cycle = () => cycles.promise;
  const ended = run().then(() => "ended");
  await pass(SECOND);
  stop.abort();
  expect(await Promise.race([ended, settled().then(() => "runs")])).toBe("runs");
  cycles.resolve(REPORT);
  expect(await ended).toBe("ended");
  expect(timers.size).toBe(0);
});

test("a slow cadence reports each second that it is idle between ticks, but not while a tick hangs", async () => {
  void run(300 * SECOND);
  await settled();
  await pass(60 * SECOND);
  expect(turns).toHaveLength(1);
  expect(rests).toBeGreaterThanOrEqual(60);
  cycle = () => new Promise(() => {});
  await pass(300 * SECOND);
  expect(turns).toHaveLength(2);
  const before = rests;
  await pass(600 * SECOND);
  expect(rests).toBe(before);
});
