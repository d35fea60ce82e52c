/** A reader's browser (Debian's Chromium) that records errors and requests of the page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type SiteServer, startSite } from "./site-server.ts";
import { RECORDED_AT, type World } from "./world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CHROMIUM = "/usr/bin/chromium-headless-shell";
/** The page's clock starts this long before the instant at which it is stopped, so that it cannot pass that instant. */
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
  /** Waits until no request is pending and all responses are rendered. */
  settle(): Promise<void>;
  /** Advances the reader's and the server's clock by this many ms. */
  later(ms: number): Promise<void>;
  /** Console errors and uncaught exceptions. */
  readonly errors: string[];
  /** Requests to other hosts than the page's. */
  readonly foreignRequests: string[];
}

export interface ReaderOptions extends BrowserContextOptions {
  /** Epoch ms of the reader's clock, which is fixed until it is moved. By default the instant of the recording. */
  readonly clock?: number;
  readonly subpath?: string;
}

/** Opens the page over a world and waits until its first responses are rendered. */
export async function read(browser: () => Browser, world: World, options: ReaderOptions = {}): Promise<Reader> {
  const { clock = RECORDED_AT, subpath = "/", ...context } = options;
  const server = await startSite((target, request) => world.response(target, request.headers["if-none-match"]), {
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
  const foreignRequests: string[] = [];
  page.on(
    "console",
    (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url}`),
  );
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => request.url().startsWith(server.url) || foreignRequests.push(request.url()));
  await page.clock.install({ time: clock - BEFORE_MS });
  await page.clock.pauseAt(clock);
  const pendingRequests = new Set<unknown>();
  page.on("request", (request) => pendingRequests.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (it) => pendingRequests.delete(it));
  await page.goto(server.url);
  const settle = () => settled(page, pendingRequests);
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
        // Responses take no time on the page's clock, so they cannot hit its timeouts.
        while (pendingRequests.size > 0) await page.evaluate("0");
      }
      await settle();
    },
    errors,
    foreignRequests,
    async [Symbol.asyncDispose]() {
      await opened.close();
      await (server satisfies SiteServer).stop();
    },
  };
}

/** Requires this many idle checks in a row, because a response may cause rendering, and rendering a request. */
const QUIET_LOOKS = 4;
const FRAME_MS = 20;

async function settled(page: Page, pendingRequests: ReadonlySet<unknown>): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet++) {
    await page.clock.runFor(FRAME_MS);
    await page.evaluate("0");
    // The page's clock stops while a response is pending, so elapsed time does not depend on the machine.
    for (; pendingRequests.size > 0; quiet = -1) await page.evaluate("0");
  }
}

/** The findings of axe, including best practices, one per line; empty if there are none. Time passes meanwhile. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  const findings = axeFindings(page);
  for (;;) {
    // axe waits on timers, and the page's clock is fixed.
    const found = await Promise.race([findings, page.clock.runFor(FRAME_MS)]);
    if (found !== undefined) return found;
  }
}

/** The same for a page whose clock is not fixed. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // The description of every element without a violation would take three quarters of the time.
  const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(document, { resultTypes: ["violations"] })`);
  if (passes.length < 10) throw new Error(`axe applied only ${passes.length} rules`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`),
  );
}
