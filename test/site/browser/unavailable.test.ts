/** Missing data, and each of the API's reasons for it: the page shows a sentence, never a zero. */
import { expect, it } from "vitest";
import { reasonWords } from "../../../site/page/words/reasons.ts";
import { emptyWorld, goldenProcess, withoutChain } from "../support/changed-worlds.ts";
import { fullWorld, TARGETS } from "../support/full-world.ts";
import { accessibilityFindings, read, useBrowser } from "../support/reader.ts";
import { statisticsBody } from "../support/statistics-body.ts";
import { RECORDED_AT } from "../support/world.ts";

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

it("says that the statistics are being built, and shows them when they arrive", async () => {
  const world = fullWorld();
  world.refuse(TARGETS.week, 503, "database_busy");
  await using reader = await read(browser, world);
  expect(await reader.page.locator("#days").innerText()).toContain(reasonWords("database_busy").why);
  world.say(TARGETS.week, statisticsBody("7d", RECORDED_AT));
  await reader.later(150_000);
  expect(await reader.page.locator(".heat tbody tr").count()).toBe(7);
});

it("shows distances and sums over nothing observed as unknown, and explains what is missing", async () => {
  const world = fullWorld();
  const unmeasured = statisticsBody("7d", RECORDED_AT, (facts) => ({
    ...facts,
    days: facts.days.map((day) => ({ ...day, measured: 0, distance: 0n })),
    totals: { ...facts.totals, distance: 0n },
  }));
  const nothing = statisticsBody("7d", RECORDED_AT, (facts) => ({
    ...facts,
    days: [],
    submissions: undefined,
    submitted: [],
  }));
  world.say(TARGETS.week, unmeasured);
  const body = { schemaVersion: 1, installationId: "wheel-1", status: "unavailable", reason: "source_disabled" };
  world.say(TARGETS.activity("measurement"), body);
  await using reader = await read(browser, world);
  const days = reader.page.locator("#days");
  expect((await days.innerText()).match(/Distance\s+not known/g)).toHaveLength(2);

  await reader.page.getByRole("button", { name: "Milestones" }).click();
  await reader.settle();
  expect(await reader.page.locator("#activity").innerText()).toContain(reasonWords("source_disabled").why);

  world.say(TARGETS.week, nothing);
  await reader.later(MINUTE);
  const figures = await days.locator(".figures").first().innerText();
  expect(figures).toMatch(/Work\s+not known/);
  expect(figures).toMatch(/Distance\s+not known/);
  const text = await days.innerText();
  expect(text).toContain(reasonWords("projection_not_initialized").why);
  expect(text).toContain(reasonWords("completion_boundaries_unavailable").why);
  world.say(TARGETS.week, { ...nothing, oracle: { status: "unavailable", reason: "insufficient_history" } });
  await reader.later(MINUTE);
  expect(await days.innerText()).toContain(reasonWords("insufficient_history").why);
});
