/** The time of published responses (docs/spec/publishing.md#clocks). */
import { expect, test } from "vitest";
import { explicitInstant, notBefore, PublishedTime } from "../../../publish/clock/instant.ts";
import { START, World } from "../world.ts";

const DAY = 86_400_000;

/** A host whose clocks and store the test sets; ms. */
function host(skew: number) {
  const state = { wall: START, monotonic: 0, skew };
  const time = new PublishedTime(
    () => state.monotonic,
    () => state.skew,
  );
  const after = (ms: number) => {
    state.wall += ms;
    state.monotonic += ms;
    return time.now(state.wall);
  };
  return { state, time, after };
}

test("a host 55 s ahead of the store publishes by the store's time from the first instant", () => {
  const { after } = host(55_000);
  expect(after(0)).toBe(START - 55_000);
  expect(after(1_000)).toBe(START - 54_000);
});

test("the published time is corrected gradually and never goes back", () => {
  const { state, after } = host(0);
  after(0);
  state.skew = 5_000;
  const seen = Array.from({ length: 100 }, () => after(1_000));
  const steps = seen.slice(1).map((now, index) => now - (seen[index] ?? 0));
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(899);
  expect(Math.max(...steps)).toBeLessThanOrEqual(1_001);
  expect(seen.at(-1)).toBe(START + 100_000 - 5_000);
});

test("a jump of the host's clock does not move the published time if the store's clock is known", () => {
  const { state, after } = host(0);
  after(0);
  for (const step of [-3_600_000, 7_200_000, -60_000]) {
    const before = after(1_000);
    state.wall += step;
    // The offset to the store's clock is known without another request.
    state.skew += step;
    expect(after(1_000)).toBe(before + 1_000);
  }
});

test("a process that was stopped for an hour publishes immediately by the time of host and store", () => {
  const { state, after } = host(0);
  after(0);
  state.wall += 3_600_000;
  expect(after(1_000)).toBe(START + 3_601_000);
  state.wall += 3_600_000;
  state.skew = 3_600_000;
  expect(after(1_000)).toBe(START + 3_602_000);
});

test("without a store's clock the published time waits until the host's clock has caught up", () => {
  const time = new PublishedTime(
    () => 0,
    () => undefined,
  );
  expect([0, -60_000, 1_000].map((ms) => time.now(START + ms))).toEqual([START, START, START + 1_000]);
});

test("a response from more than a minute ahead stops a publisher, and from less makes it wait", () => {
  expect(notBefore(START + 60_000, START)).toBe(START + 60_000);
  expect(() => notBefore(START + 60_001, START)).toThrow(
    expect.objectContaining({ code: "clock_behind", exitCode: 1 }),
  );
});

test("--at ahead of the clock is rejected, unless nothing was published and it is forced", () => {
  const ask = (change: object) => explicitInstant({ at: START, now: START, last: 0, force: false, ...change });
  expect(ask({ at: START + 60_000 })).toBe(START + 60_000);
  const refused = expect.objectContaining({ code: "at_in_future", exitCode: 2 });
  expect(() => ask({ at: START + DAY })).toThrow(refused);
  expect(() => ask({ at: START + DAY, force: true, last: START })).toThrow(refused);
  expect(ask({ at: START + DAY, force: true })).toBe(START + DAY);
});

test("--at before the last published instant is refused, also if it is forced", () => {
  for (const force of [false, true]) {
    const ask = () => explicitInstant({ at: START - 1, now: START, last: START, force });
    expect(ask).toThrow(expect.objectContaining({ code: "at_before_published" }));
  }
});

test("after lost state the failure names the object from ahead of the clock", async () => {
  const world = new World();
  world.receive(1);
  const worker = await world.work();
  await worker.cycle(START + DAY);
  await worker.stop();
  await world.store.delete("status.json");
  world.now = START + 10_000;
  const again = await world.work({ state: "lost" });
  await expect(again.cycle(START + 10_000)).rejects.toMatchObject({
    code: "clock_behind",
    message: expect.stringContaining("v1/public/"),
  });
  expect(await world.body("/v1/public/telemetry", START + DAY)).toContain('"stale"');
  again.kill();
  world.end();
});
