/** Each view with data: its content and its accessibility. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { setLargestNumbers, setStatus } from "../support/changed-worlds.ts";
import { fullWorld, TARGETS } from "../support/full-world.ts";
import { accessibilityFindings, type Reader, read, useBrowser } from "../support/reader.ts";
import type { World } from "../support/world.ts";

/** Events of one page of the recorded activity. */
const PAGE_EVENTS = 12;

const browser = useBrowser();
/** A page with all data, for tests that change neither its data nor its window. */
let plain: Reader;
beforeAll(async () => {
  plain = await read(browser, fullWorld());
});
afterAll(() => plain?.[Symbol.asyncDispose]());

/** A signed log. */
const LOG = {
  size: 1_234_067,
  root: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  origin: "wheel.example.org/log",
  verifierKey: ["wheel.example.org+01020304+AcQmFN7tBdEiTUrS9rAMLrrwQjJZkzBr1hBRJEJhwjqH"],
};

const publishLog = (world: World) => setStatus(world, (status) => Object.assign(status, { log: LOG }));

/** Changes the window's width, in pixels, and the size of the browser's text. */
async function show({ page, settle }: Reader, width: number, textSize: string): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(`document.documentElement.style.fontSize = "${textSize}"`);
  await settle();
}

it("shows the size, root and key of a public log, and nothing of a log without a key", async () => {
  const world = fullWorld();
  publishLog(world);
  await using reader = await read(browser, world);
  const panel = reader.page.locator("#log");
  expect(await panel.locator("tbody tr").allInnerTexts()).toEqual([
    `Name\t${LOG.origin}`,
    "Entries\t1,234,067",
    `Root, one hash of all entries\t${LOG.root}`,
    `Key that signs\t${LOG.verifierKey[0]}`,
  ]);
  expect(await panel.getByRole("link").getAttribute("href")).toBe("docs#log");
  setStatus(world, (status) => Object.assign(status, { log: { ...LOG, origin: null, verifierKey: [] } }));
  await reader.later(30_000);
  expect(await panel.count()).toBe(0);
});

it("shows what the wheel does, without an error, a foreign request or an accessibility problem", async () => {
  const { page, errors, foreignRequests } = plain;
  expect(await page.locator(".sentence").innerText()).toBe("Turning at 43 rpm");
  expect(await page.locator(".detail").innerText()).toBe("Last heard at 03:11 UTC, 2 s ago.");
  expect(await page.locator("#now .badge").innerText()).toBe("simulated");
  await plain.later(5_000);
  expect(await page.locator(".detail").innerText()).toBe("Last heard at 03:11 UTC, 7 s ago.");
  expect(await page.locator(".parts p").innerText()).toBe(
    "A block is 1,000 units of work. Block 486 has ~\u00a0897 so far.",
  );
  expect(await page.locator(".parts .figure").allInnerTexts()).toEqual([
    expect.stringMatching(/^Settled\s+461\s[^]*; 485,461 in all$/),
    expect.stringMatching(/^Accepted\s+356\s[^]*; 356 in all$/),
    expect.stringMatching(/^Closed\s+0\s[^]*; 0 in all$/),
    expect.stringMatching(/^Open\s+80\s[^]*; 80 in all$/),
  ]);
  expect(await page.locator(".panel h2").allInnerTexts()).toEqual([
    "Now",
    "Days",
    "Settlements",
    "Activity",
    "Chain",
    "Modules",
  ]);
  expect(await page.locator(".panel .asof").allInnerTexts()).toEqual(
    Array(6).fill(expect.stringMatching(/^as of \d\d:\d\d UTC$/)),
  );
  expect([errors, foreignRequests]).toEqual([[], []]);
  expect(await accessibilityFindings(page)).toEqual([]);
});

it("has no accessibility problem on a dark phone, over 30 days, with a public log and every table open", async () => {
  const world = fullWorld();
  publishLog(world);
  await using reader = await read(browser, world, { viewport: { width: 320, height: 640 }, colorScheme: "dark" });
  const { page, errors } = reader;
  await page.getByRole("button", { name: "30 days" }).first().click();
  await reader.settle();
  for (const summary of await page.locator("summary").all()) await summary.click();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
});

it("supports keyboard navigation in the heat map, with the same text for pointer, focus and touch", async () => {
  await using reader = await read(browser, fullWorld(), { hasTouch: true });
  const { page } = reader;
  const words = page.locator("#days .words");
  const grid = page.getByRole("grid");
  const cells = grid.locator("td");
  expect(await grid.locator("td[tabindex='0']").count()).toBe(1);
  await cells.first().focus();
  expect(await words.innerText()).toBe("Sat 21 Nov, 12:00–12:30 UTC: Idle, 0 units");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await reader.settle();
  const label = await words.innerText();
  expect(label).toMatch(/^Sat 21 Nov, 11:00–11:30 UTC: /);
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(label);
  expect(await grid.locator("td[tabindex='0']").count()).toBe(1);
  await cells.nth(30).hover();
  await reader.settle();
  expect(await words.innerText()).toBe(await cells.nth(30).getAttribute("aria-label"));
  await cells.nth(60).tap();
  await reader.settle();
  expect(await words.innerText()).toBe(await cells.nth(60).getAttribute("aria-label"));
});

it("shows settlements by range, mints separately, and the queue's projection as such", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  const panel = page.locator("#settlements");
  expect(await panel.locator("tbody tr").count()).toBe(12);
  expect(await panel.locator(".minted").count()).toBe(11);
  expect(await panel.locator(".projection").innerText()).toMatch(
    /~ through round 4338[^]*neither settled work nor confirmed minting/,
  );
  expect(await panel.locator(".projection .num").getAttribute("title")).toBe("20.000000000000000001 NOON");
  for (const [name, bars] of [
    ["ever", 0],
    ["24 h", 24],
    ["30 days", 30],
  ] as const) {
    await panel.getByRole("button", { name }).click();
    await reader.settle();
    expect(await panel.locator(".bars .reach").count()).toBe(bars);
  }
});

it("shows the activity by category and loads more", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const { page } = reader;
  const lines = page.locator("#activity .events > .event");
  const closed = page.locator("#activity details:not([open]) > summary");
  const countEvents = async () => {
    while ((await closed.count()) > 0) await closed.first().click();
    await reader.settle();
    return page.locator("#activity .event > p").count();
  };
  expect(await lines.count()).toBeLessThan(PAGE_EVENTS);
  expect(await closed.first().innerText()).toMatch(/^\d+ rounds from \d+ to \d+ released with 5 NOON each$/);
  expect(await countEvents()).toBe(PAGE_EVENTS);
  await page.getByRole("button", { name: "Older events" }).click();
  await reader.settle();
  expect(await countEvents()).toBe(2 * PAGE_EVENTS);
  await page.getByRole("button", { name: "Milestones" }).click();
  await reader.settle();
  expect(await lines.allInnerTexts()).toEqual(Array(PAGE_EVENTS).fill(expect.stringMatching(/km|m\/s|days in a row/)));
  expect(world.asked).toContain(TARGETS.activity("measurement"));
});

it("fits windows of any width, for any text size and any numbers", async () => {
  const world = fullWorld();
  setLargestNumbers(world);
  publishLog(world);
  await using reader = await read(browser, world);
  const { page } = reader;
  for (const width of [360, 375, 1024, 1280]) {
    // A reader may have doubled the browser's text size.
    for (const size of ["100%", "200%"]) {
      await show(reader, width, size);
      expect(await page.evaluate("document.documentElement.scrollWidth"), size).toBe(width);
    }
  }
  // Otherwise the page would shift when it becomes long.
  expect(await page.evaluate("getComputedStyle(document.documentElement).overflowY")).toBe("scroll");
  expect(await page.locator(".ring-large").innerHTML()).toMatch(/^….{7}$/);
  expect(await page.locator(".parts .figure small").first().innerText()).toMatch(/; [\d,]{50,} in all$/);
});

it("prints dark text on white from a dark screen", async () => {
  await using reader = await read(browser, fullWorld(), { colorScheme: "dark" });
  const { page } = reader;
  await page.emulateMedia({ media: "print" });
  const [ink, ground] = await page.evaluate<string[]>(
    "[getComputedStyle(document.body).color, getComputedStyle(document.querySelector('.panel')).backgroundColor]",
  );
  expect([ink, ground]).toEqual(["rgb(29, 27, 24)", "rgb(255, 255, 255)"]);
});

it("works from a subpath", async () => {
  await using reader = await read(browser, fullWorld(), { subpath: "/some/where/" });
  expect(await reader.page.locator(".sentence").innerText()).toBe("Turning at 43 rpm");
  expect([reader.errors, reader.foreignRequests]).toEqual([[], []]);
});
