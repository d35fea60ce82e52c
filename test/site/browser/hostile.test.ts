/** Text from outside stays text: in every free-text field, whatever it contains. */
import { expect, it } from "vitest";
import { goldenProcess } from "../support/changed-worlds.ts";
import { fullWorld, TARGETS } from "../support/full-world.ts";
import { accessibilityFindings, read, useBrowser } from "../support/reader.ts";
import type { World } from "../support/world.ts";

const HOSTILE = [
  '<img src=x onerror="document.title=1"><script>document.title=2</script>',
  "javascript:document.title=3//\"'><svg/onload=document.title=4>",
  "\u202egnirts desrever\u202c\u0000\u200b{{7*7}}${7*7}\r\n%00",
  "W".repeat(400),
];
const PATTERNED =
  /^(0x[0-9a-fA-F]+|[\d.]+|\d{4}-\d\d-\d\d.*|[0-9a-f]{8}-[0-9a-f-]{27}|measurement-policy-v1|public-activity-v1)$/;

/** In this time the page requests every view again. */
const EVERY_VIEW_MS = 61_000;

const browser = useBrowser();

/** Replaces every string that the schema leaves free; returns their number. */
function poison(world: World, target: string, text: string): number {
  let count = 0;
  const change = (holder: Record<string, unknown>, key: string): void => {
    const value = holder[key];
    if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) change(value as Record<string, unknown>, name);
    } else if (typeof value === "string" && !PATTERNED.test(value)) {
      holder[key] = text;
      try {
        world.say(target, root.body);
        count += 1;
      } catch {
        // The schema restricts this field.
        holder[key] = value;
      }
    }
  };
  const root = { body: world.said<unknown>(target) };
  change(root, "body");
  world.say(target, root.body);
  return count;
}

/** Replaces every free text of the world. */
function poisonAll(world: World, text: string): void {
  const short = [TARGETS.process, TARGETS.telemetry, TARGETS.modules, TARGETS.queue, TARGETS.settlements("7d")];
  for (const target of short)
    expect([target, poison(world, target, text)]).toEqual([target, expect.toSatisfy((n) => n > 0)]);
  // Identities, targets and ids must match in these two; event names and versions need not.
  for (const target of [TARGETS.onchain, TARGETS.activity("all")])
    expect(poison(world, target, text)).toBeGreaterThan(0);
}

it("shows hostile texts unchanged", async () => {
  const world = fullWorld();
  world.say(TARGETS.process, goldenProcess("blocked"));
  const [first = "", ...others] = HOSTILE;
  poisonAll(world, first);
  await using reader = await read(browser, world, { viewport: { width: 360, height: 800 } });
  const { page, errors, foreignRequests } = reader;
  const expectHarmless = async () => {
    expect(await page.locator("#now .queue-blocked").count()).toBe(1);
    expect(await page.locator("#modules tbody tr").count()).toBeGreaterThan(0);
    expect(await page.title()).toMatch(/^Silent since 20 Nov, 11:40 UTC · /);
    expect(await page.locator("img, iframe, object, embed, script:not([src])").count()).toBe(0);
    expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect([errors, foreignRequests]).toEqual([[], []]);
  };
  await expectHarmless();
  for (const text of others) {
    poisonAll(world, text);
    await reader.later(EVERY_VIEW_MS);
    await expectHarmless();
  }
  expect(await accessibilityFindings(page)).toEqual([]);
});
