/**
 * Compares screenshots of the page with approved ones. Actual screenshots and differences are written to
 * test/site/seen/. After an intended change, run with NOONTEST_APPROVE=1 and review them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { beforeAll, expect, it } from "vitest";
import { deadWorld, emptyWorld } from "../support/changed-worlds.ts";
import { fullWorld } from "../support/full-world.ts";
import { type Reader, type ReaderOptions, read, useBrowser } from "../support/reader.ts";
import type { World } from "../support/world.ts";

const APPROVED = join(import.meta.dirname, "../pictures");
const SEEN = join(import.meta.dirname, "../seen");
const APPROVE = process.env.NOONTEST_APPROVE === "1";
/**
 * Tolerated colour difference of a pixel (0 to 1), and tolerated share of pixels beyond it, such as the edges of
 * letters.
 */
const COLOUR = 0.2;
const SHARE = 0.005;

interface Picture {
  readonly world: () => World;
  readonly options: ReaderOptions;
  readonly whole?: boolean;
  readonly before?: (page: Page) => Promise<void>;
}

const size = (width: number, height: number) => ({ viewport: { width, height } });
const month = (page: Page) => page.getByRole("button", { name: "30 days" }).first().click();

const PICTURES: Readonly<Record<string, Picture>> = {
  "turning-1400-light": { world: fullWorld, options: size(1400, 1000), whole: true },
  "turning-820-dark": { world: fullWorld, options: { ...size(820, 1100), colorScheme: "dark" } },
  "month-360-light": { world: fullWorld, options: size(360, 1900), before: month },
  "dead-1400-dark": { world: deadWorld, options: { ...size(1400, 620), colorScheme: "dark" } },
  "dead-360-light": { world: deadWorld, options: size(360, 800) },
  "empty-820-light": { world: emptyWorld, options: size(820, 1100) },
  "forced-820": { world: fullWorld, options: { ...size(820, 1000), forcedColors: "active" } },
};

const browser = useBrowser();
beforeAll(async () => {
  for (const folder of [APPROVED, SEEN]) mkdirSync(folder, { recursive: true });
});

async function take({ page, settle }: Reader, { before, whole = false }: Picture): Promise<Buffer> {
  await before?.(page);
  await settle();
  return page.screenshot({ fullPage: whole });
}

it.each(Object.keys(PICTURES))("looks as approved: %s", async (name) => {
  const picture = PICTURES[name] as Picture;
  await using reader = await read(browser, picture.world(), picture.options);
  const seen = await take(reader, picture);
  writeFileSync(join(SEEN, `${name}.png`), seen);
  const path = join(APPROVED, `${name}.png`);
  if (APPROVE) writeFileSync(path, seen);
  expect(existsSync(path)).toBe(true);
  const [is, was] = [PNG.sync.read(seen), PNG.sync.read(readFileSync(path))];
  expect([is.width, is.height]).toEqual([was.width, was.height]);
  const differences = new PNG({ width: is.width, height: is.height });
  const count = pixelmatch(is.data, was.data, differences.data, is.width, is.height, { threshold: COLOUR });
  if (count > 0) writeFileSync(join(SEEN, `${name}.differences.png`), PNG.sync.write(differences));
  expect(count / (is.width * is.height)).toBeLessThanOrEqual(SHARE);
});

it("prints every panel, and does not scroll sideways at 200 % zoom", async () => {
  // A zoom of 200 % on a 1280 px screen is a 640 px page with twice the pixel density.
  await using reader = await read(browser, fullWorld(), { ...size(640, 480), deviceScaleFactor: 2 });
  expect(await reader.page.evaluate("document.documentElement.scrollWidth")).toBe(640);
  await reader.page.emulateMedia({ media: "print" });
  writeFileSync(join(SEEN, "print.pdf"), await reader.page.pdf({ format: "A4" }));
  expect(await reader.page.locator(".more").isVisible()).toBe(false);
  expect(await reader.page.locator(".panel:visible").count()).toBe(6);
});
