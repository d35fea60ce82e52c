/** The page shows late data: of the device, the publication, the chain, the network, and a wrong reader's clock. */
import { expect, it } from "vitest";
import { deadWorld, setStatus, withoutChain } from "../support/changed-worlds.ts";
import { fullWorld, TARGETS } from "../support/full-world.ts";
import { accessibilityFindings, read, useBrowser } from "../support/reader.ts";
import { RECORDED_AT, recorded } from "../support/world.ts";

const HOUR = 3_600_000;

const browser = useBrowser();

it("claims nothing about the present while the publisher is dead, and announces it once to screen readers", async () => {
  const world = deadWorld();
  withoutChain(world, "indexer_unavailable");
  await using reader = await read(browser, world);
  const { page } = reader;
  expect(await page.locator(".sentence").innerText()).toBe("Silent from 14:02 UTC");
  expect(await page.locator(".detail").innerText()).toBe(
    "Not known after 02:00 UTC. Last heard at 14:02 UTC, 13 h 9 min ago: turning at 43 rpm.",
  );
  expect(await page.title()).toBe("Silent from 14:02 UTC · wheel-1");
  const text = await page.locator("main").innerText();
  for (const claim of [/at the moment/, /go on/, /in the last 10 minutes/, /the current round/, /does not respond/])
    expect(text).not.toMatch(claim);
  expect(text).toContain("Settlements are not known. Nothing has been published since 02:00 UTC.");
  const times = await page.locator(".panel .asof").allInnerTexts();
  expect(times.filter((time) => time.trim() !== "" && time > "as of 02:00 UTC")).toEqual([]);
  expect(await page.locator(".figures").first().innerText()).toContain("Last speed");
  expect(await page.locator(".banner").innerText()).toBe(
    "The publisher has stopped. Its last report is from 02:00 UTC, and what follows is about as old.",
  );
  const live = page.locator(".device [role=status]");
  expect(await live.textContent()).toBe("Silent from 14:02 UTC");
  expect(await accessibilityFindings(page)).toEqual([]);
});

it("shows the device as silent by the clock, at 120 seconds and not before, and announces it", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  const receivedAt = Date.parse("2026-11-22T03:11:51.172Z");
  await reader.later(receivedAt + 119_500 - (await page.evaluate<number>("Date.now()")));
  expect(await page.locator(".sentence").innerText()).toBe("Turning at 43 rpm");
  expect(await page.locator(".device [role=status]").textContent()).toBe("Turning at 43 rpm");
  await reader.later(2_000);
  expect(await page.locator(".sentence").innerText()).toBe("Silent since 03:11 UTC");
  expect(await page.locator(".device [role=status]").textContent()).toBe("Silent since 03:11 UTC");
});

it("has text for everything that /status.json can report, and none in normal operation", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  expect(await page.locator(".banner p").count()).toBe(0);
  const cases = [
    [(s) => (s.publisher.state = "late"), "The publisher is late"],
    [(s) => (s.publisher.state = "stopped"), "The publisher has stopped"],
    [(s) => (s.sources.ledger.status = "unreadable"), "ledger of measurements cannot be read"],
    [(s) => (s.sources.ledger.status = "behind"), "ledger lacks measurements"],
    [(s) => (s.sources.chain.status = "silent"), "node does not respond"],
    [(s) => (s.sources.chain.status = "behind"), "read with a delay"],
    [(s) => (s.sources.chain.status = "mismatch"), "contradicts"],
  ] as const satisfies readonly (readonly [Parameters<typeof setStatus>[1], string])[];
  for (const [change, words] of cases) {
    setStatus(world, change);
    await reader.later(30_000);
    expect(await page.locator(".banner").innerText()).toContain(words);
  }
});

it("works without /status.json", async () => {
  const world = fullWorld();
  world.refuse(TARGETS.status, 404, "not_found");
  await using reader = await read(browser, world);
  expect(await reader.page.locator(".sentence").innerText()).toBe("Turning at 43 rpm");
  expect(await reader.page.locator(".banner p").count()).toBe(0);
  expect(reader.errors).toEqual([expect.stringMatching(/404.*status\.json/)]);
});

it("marks settlements that come from saved history", async () => {
  const world = fullWorld();
  world.say(TARGETS.settlements("7d"), recorded("settlements-7d"), {
    "x-service-settlement-source": "durable-cache",
    "x-service-settlement-fallback-reason": "indexer_unavailable",
  });
  await using reader = await read(browser, world);
  expect(await reader.page.locator("#settlements .late").innerText()).toBe(
    "Saved history, not read from the chain just now. The chain's node gives no usable answer at the moment.",
  );
});

it("keeps its data when the network fails, says so, does not claim that the device is silent, and recovers", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  world.offline = true;
  await reader.later(30_000);
  expect(await page.locator("#now .late").innerText()).toMatch(
    /^No newer answer since 03:12 UTC\. The server cannot be reached\.$/,
  );
  expect(await page.locator(".sentence").innerText()).toBe("Turning at 43 rpm");
  await reader.later(180_000);
  expect(await page.locator(".sentence").innerText()).toBe("Not known since 03:12 UTC");
  expect(await page.locator(".detail").innerText()).toContain("Last heard at 03:11 UTC");
  expect(await page.locator(".heat tbody tr").count()).toBe(7);
  world.offline = false;
  await reader.later(120_000);
  expect(await page.locator(".late").count()).toBe(0);
  expect(await page.locator(".sentence").innerText()).toBe("Silent since 03:11 UTC");
});

it("reports that nothing could be read if the first requests fail", async () => {
  const world = fullWorld();
  world.offline = true;
  await using reader = await read(browser, world);
  expect(await reader.page.locator(".sentence").innerText()).toBe("Not known");
  expect(await reader.page.locator("#days").innerText()).toContain("The server cannot be reached.");
});

it("counts ages by the server's clock, whatever the reader's clock is", async () => {
  await using reader = await read(browser, fullWorld(), { clock: RECORDED_AT - 5 * HOUR });
  expect(await reader.page.locator(".detail").innerText()).toMatch(/^Last heard at 03:11 UTC, [23] s ago\.$/);
});
