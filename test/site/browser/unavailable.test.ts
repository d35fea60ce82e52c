/** Missing data, and each of the API's reasons for it: the page shows a sentence, never a zero. */
import { expect, it } from "vitest";
import { reasonWords } from "../../../site/page/words/reasons.ts";
import { emptyWorld, goldenProcess, withoutChain } from "../support/changed-worlds.ts";
import { fullWorld, TARGETS } from "../support/full-world.ts";
import { accessibilityFindings, read, useBrowser } from "../support/reader.ts";

const MINUTE = 61_000;

const browser = useBrowser();

it("shows each reason of the chain's views as a sentence, and what still holds", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  for (const reason of ["indexer_disabled", "not_yet_safe", "indexer_unavailable", "indexer_mismatch"]) {
    withoutChain(world, reason);
    await reader.later(MINUTE);
    const { why, holds } = reasonWords(reason);
    for (const panel of ["settlements", "activity", "chain"]) {
      const text = await reader.page.locator(`#${panel}`).innerText();
      expect([panel, text]).toEqual([panel, expect.stringContaining(why)]);
      expect([panel, holds, text]).toEqual([panel, expect.any(String), expect.stringContaining(String(holds))]);
      expect(text).not.toMatch(/\b0\b/);
    }
    expect(await reader.page.locator(".step").last().innerText()).toContain(why);
  }
  expect(reader.errors).toEqual([]);
  expect(await accessibilityFindings(reader.page)).toEqual([]);
});

it("shows each reason of builder, queue and Oracle, and the queue's eight states", async () => {
  const world = fullWorld();
  await using reader = await read(browser, world);
  const cases = [
    ["no-measurement", ".block", "no_measurement"],
    ["counter-fault", ".block", "counter_fault"],
    ["epoch-unapproved", ".block", "counter_epoch_unapproved"],
    ["round-missing", ".block", "round_projection_gap"],
    ["no-safe-core", ".block", "oracle_head_unavailable"],
    ["no-safe-core", ".flow", "oracle_head_unavailable"],
    ["round-not-accepted", ".flow", "round_projection_gap"],
    ["round-ineligible", ".flow", "round_ineligible"],
    ["no-closure", ".flow", "no_accepted_closure"],
  ] as const;
  for (const [golden, place, reason] of cases) {
    world.say(TARGETS.process, goldenProcess(golden));
    await reader.later(10_000);
    const text = await reader.page.locator(place).innerText();
    expect([golden, text]).toEqual([golden, expect.stringContaining(reasonWords(reason).why)]);
  }
  const states = [
    ["blocked", "Blocked. 5 accepted rounds with 2,600 units of work wait until the block is lifted: operator_hold."],
    ["disabled", "Switched off. 5 accepted rounds"],
    ["reporter-stale", "The Reporter is late. 5 accepted rounds"],
    ["preparing", "Preparing a batch. The batch through round"],
    ["submitted", "A batch is on its way. The batch through round"],
    ["retrying", "Trying a batch again. The batch through round"],
    ["ready", "Ready to be settled. 5 accepted rounds with 2,600 units of work wait for the Reporter's next run."],
    ["empty", "Nothing waits. Every accepted round is settled"],
  ] as const;
  for (const [golden, words] of states) {
    world.say(TARGETS.process, goldenProcess(golden));
    await reader.later(10_000);
    const text = await reader.page.locator(".step").nth(1).innerText();
    expect([golden, text]).toEqual([golden, expect.stringContaining(words)]);
  }
  expect(reader.errors).toEqual([]);
});

it("shows an unknown installation as unknown, never as zero", async () => {
  await using reader = await read(browser, emptyWorld());
  const { page } = reader;
  expect(await page.locator(".sentence").innerText()).toBe("Never heard of");
  expect(await page.locator(".device .figures").innerText()).not.toMatch(/\d/);
  expect(await page.locator("#days").innerText()).toContain(reasonWords("public_stats_rebuilding").why);
  expect(await page.locator("#modules").innerText()).toContain("No module has ever reported.");
  expect(await accessibilityFindings(page)).toEqual([]);
  // Browsers log a 503 to the console by themselves.
  expect(reader.errors.filter((error) => !error.includes("/v2/public/stats"))).toEqual([]);
});
