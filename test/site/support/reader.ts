/** A reader's browser: Debian's Chromium, with what the page does there written down. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type SiteServer, startSite } from "./site-server.ts";
import { RECORDED_AT, type World } from "./world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CHROMIUM = process.env.NOONMARK_CHROMIUM ?? "/usr/bin/chromium";
/** The page's clock is stopped at its instant, which it must not have passed by then. */
const BEFORE_MS = 600_000;
const STEP_MS = 1_000;
const FONTS = new URL("fonts.conf", import.meta.url).pathname;

function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--font-render-hinting=none",
      "--disable-lcd-text",
      "--force-color-profile=srgb",
    ],
    env: { ...process.env, FONTCONFIG_FILE: FONTS },
  });
}

/** A browser for the tests of one file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  return () => browser as Browser;
}

export interface Reader extends AsyncDisposable {
  readonly page: Page;
  readonly url: string;
  /** Waits until no request is under way and what came is drawn. */
  settle(): Promise<void>;
  /** So many ms pass, for the reader and for the server. */
  later(ms: number): Promise<void>;
  /** Console errors and uncaught ones. */
  readonly errors: string[];
  /** Requests to another host than the page's. */
  readonly strangers: string[];
}

export interface ReaderOptions extends BrowserContextOptions {
  /** Epoch ms of the reader's own clock, which is fixed until it is moved; by default the recording's instant. */
  readonly clock?: number;
  readonly subpath?: string;
}

/** Opens the page over a world and waits until its first responses are drawn. */
export async function read(browser: () => Browser, world: World, options: ReaderOptions = {}): Promise<Reader> {
  const { clock = RECORDED_AT, subpath = "/", ...context } = options;
  const server = await startSite((target, request) => world.answer(target, request.headers["if-none-match"]), {
    subpath,
  });
  const opened = await browser().newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: { width: 1200, height: 900 },
    ...context,
  });
  const page = await opened.newPage();
  const errors: string[] = [];
  const strangers: string[] = [];
  page.on(
    "console",
    (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url}`),
  );
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => request.url().startsWith(server.url) || strangers.push(request.url()));
  await page.clock.install({ time: clock - BEFORE_MS });
  await page.clock.pauseAt(clock);
  const underWay = new Set<unknown>();
  page.on("request", (request) => underWay.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (it) => underWay.delete(it));
  await page.goto(server.url);
  const settle = () => settled(page, underWay);
  await settle();
  return {
    page,
    url: server.url,
    settle,
    async later(ms) {
      for (let rest = ms; rest > 0; rest -= STEP_MS) {
        world.now += Math.min(rest, STEP_MS);
        await page.clock.runFor(Math.min(rest, STEP_MS));
        await page.evaluate("0");
        // Responses take no time by the page's clock, so that they do not run into its timeouts.
        while (underWay.size > 0) await page.evaluate("0");
      }
      await settle();
    },
    errors,
    strangers,
    async [Symbol.asyncDispose]() {
      await opened.close();
      await (server satisfies SiteServer).stop();
    },
  };
}

/** Quiet for this many looks in a row: a response may cause a drawing, and a drawing a request. */
const QUIET_LOOKS = 4;
const FRAME_MS = 20;

async function settled(page: Page, underWay: ReadonlySet<unknown>): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet++) {
    await page.clock.runFor(FRAME_MS);
    await page.evaluate("0");
    // The page's clock waits while a response is on its way: how much time has passed depends on no machine.
    for (; underWay.size > 0; quiet = -1) await page.evaluate("0");
  }
}

/** The findings of axe, best practices included, a line each; nothing if all is well. Time passes meanwhile. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const run = page.evaluate<AxeResults>("axe.run(document)");
  for (;;) {
    // axe waits on timers, and the page's clock is fixed.
    const found = await Promise.race([run, page.clock.runFor(FRAME_MS)]);
    if (found !== undefined) return linesOf(found);
  }
}

function linesOf({ violations }: AxeResults): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`),
  );
}
