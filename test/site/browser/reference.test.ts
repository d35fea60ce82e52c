/** The reference at /docs in a real browser: both themes, phone and wide screen, without JavaScript, and in print. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildReference } from "../../../site/reference/build.ts";
import { HTML_HEADERS } from "../../../src/http/route.ts";
import { localServer } from "../../support/local-server.ts";
import { axeFindings, useBrowser } from "../support/reader.ts";

const SHOTS = process.env.NOONMARK_SHOTS;

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startReference>>;
beforeAll(async () => {
  server = await startReference();
});
afterAll(async () => {
  await server?.stop();
});

const SCREENS = [
  { width: 360, colorScheme: "light" },
  { width: 1400, colorScheme: "dark" },
] as const;

test.each(SCREENS)(
  "$width wide, $colorScheme: axe finds nothing, nothing is cut off",
  async ({ width, colorScheme }) => {
    const context = await browser().newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on(
      "console",
      (message) => message.type() === "error" && !message.text().includes("404") && errors.push(message.text()),
    );
    await page.goto(server.url);
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `docs-${width}-${colorScheme}.png`) });
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate<number>(overflow)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  },
);

test("can be read without JavaScript, and its links resolve", async () => {
  const context = await browser().newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(server.url);
  expect(await page.getByText("An accepted measurement is not settled work.").first().isVisible()).toBe(true);
  expect(await page.locator("meta[name=description]").getAttribute("content")).toContain("10 public GET routes");
  expect(await page.getByRole("link", { name: "the page" }).getAttribute("href")).toBe("./");
  const html = await page.content();
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, target]) => target ?? "");
  expect(links.filter((target) => !target.startsWith("#"))).toEqual(["openapi.json", "./"]);
  for (const target of links.filter((one) => one.startsWith("#"))) expect(ids).toContain(target.slice(1));
  expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  await context.close();
});

/** Serves the files of the reference on loopback, with the headers of their rows. */
async function startReference(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const files = buildReference("0.0.0");
  const { url, stop } = await localServer((request, response) => {
    const path = request.url === "/docs" ? "docs.html" : (request.url ?? "").slice(1);
    const file = files.find((one) => one.path === path);
    if (file === undefined) response.writeHead(404).end();
    else {
      const isPage = file.path.endsWith(".html");
      response.writeHead(200, { "content-type": file.contentType, ...(isPage ? HTML_HEADERS : {}) }).end(file.bytes);
    }
  });
  return { url: `${url}/docs`, stop };
}
