/**
 * The page, open for hours: how often it sends requests, hidden and visible, online and offline; and that memory does
 * not grow.
 */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { fullWorld } from "../support/full-world.ts";
import { read, useBrowser } from "../support/reader.ts";
import type { World } from "../support/world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Heap growth allowed over the second hour. */
const GROWTH_BYTES = 500_000;

/** The page's globals, inside `evaluate`. */
declare const document: EventTarget;

const browser = useBrowser();

/** From here on the page responds to itself without delay, because a day of network requests would take too long. */
async function responseInside(page: Page, world: World): Promise<void> {
  const responses = Object.fromEntries(world.targets().map((target) => [target, world.response(target, undefined)]));
  await page.evaluate((known) => {
    const counts: Record<string, number> = {};
    const state = { counts, fail: false, conditional: true, hidden: false };
    Object.assign(globalThis, { day: state });
    Object.defineProperty(document, "visibilityState", { get: () => (state.hidden ? "hidden" : "visible") });
    globalThis.fetch = (input, init) => {
      const { pathname, search } = new URL(String(input));
      counts[pathname] = (counts[pathname] ?? 0) + 1;
      state.conditional &&= init?.cache === "no-cache";
      const response = known[pathname + search];
      if (state.fail || response === undefined) return Promise.reject(new TypeError("cut"));
      return Promise.resolve(new Response(response.body, { headers: response.headers }));
    };
  }, responses);
}

interface Day {
  counts: Record<string, number>;
  fail: boolean;
  conditional: boolean;
  hidden: boolean;
}

/** Advances the clock and returns how often each path was requested. */
async function pass(page: Page, ms: number, set: Partial<Day> = {}): Promise<Record<string, number>> {
  await page.evaluate((wanted) => {
    const { day } = globalThis as unknown as { day: Day };
    const turned = wanted.hidden !== undefined && wanted.hidden !== day.hidden;
    Object.assign(day, wanted);
    for (const path of Object.keys(day.counts)) delete day.counts[path];
    if (turned) document.dispatchEvent(new Event("visibilitychange"));
  }, set);
  for (let rest = ms; rest > 0; rest -= HOUR) await page.clock.runFor(Math.min(rest, HOUR));
  return page.evaluate(() => ({ ...(globalThis as unknown as { day: Day }).day.counts }));
}

const PROCESS = "/v4/public/process";

it("requests as often as specified for two hours, always conditionally, and does not grow", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  const heap = await page.context().newCDPSession(page);
  const used = async () => {
    await heap.send("HeapProfiler.collectGarbage");
    return (await heap.send("Runtime.getHeapUsage")).usedSize;
  };
  await responseInside(page, world);
  const hour = await pass(page, HOUR);
  const nodes = await page.evaluate("document.querySelectorAll('*').length");
  const before = await used();
  expect(hour).toEqual({
    [PROCESS]: 360,
    "/v1/public/telemetry": 180,
    "/status.json": 120,
    "/v1/public/modules": 60,
    "/v4/public/onchain": 60,
    "/v2/public/stats": 60,
    "/v4/public/settlements": 120,
    "/v1/public/activity": 60,
  });
  await pass(page, HOUR);
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBe(nodes);
  expect((await used()) - before).toBeLessThan(GROWTH_BYTES);
  expect(await page.evaluate("day.conditional")).toBe(true);
  expect(reader.errors).toEqual([]);
});

it("stops in a hidden tab, resumes immediately, and continues slowly while everything fails", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  await responseInside(page, world);
  await pass(page, MINUTE);
  expect(await pass(page, 6 * HOUR, { hidden: true })).toEqual({});
  const resumed = await pass(page, 15_000, { hidden: false });
  expect(Object.keys(resumed)).toHaveLength(8);
  expect(resumed[PROCESS]).toBeGreaterThanOrEqual(1);

  await pass(page, 10 * MINUTE, { fail: true });
  const failing = await pass(page, HOUR);
  // At least every two minutes, and at most half as often as while requests succeed.
  expect(failing[PROCESS]).toBeGreaterThanOrEqual(30);
  expect(failing[PROCESS]).toBeLessThanOrEqual(180);
  for (const [path, count] of Object.entries(failing)) {
    expect([path, count]).toEqual([path, expect.toSatisfy((n: number) => n >= 20 && n <= 65)]);
  }
  const back = await pass(page, 2 * MINUTE, { fail: false });
  expect(back[PROCESS]).toBeGreaterThanOrEqual(1);
  expect(await page.locator(".late").count()).toBe(0);
});
