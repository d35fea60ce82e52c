/** Puts per month, extrapolated from twenty simulated minutes. `npm run bench -- day` simulates a whole day. */
import { expect, test } from "vitest";
import { simulate } from "../../../../bench/support/publisher/simulated-day.ts";
import { MONTH_MS, putsAMonth } from "../../../../bin/cli/publish/put-estimate.ts";
import { allPublications } from "../../../../src/resources/publications.ts";

const MOST_A_MONTH = 2_700_000;
const HOURS = 1 / 3;
const SHARE = (HOURS * 3_600_000) / MONTH_MS;

test("a receipt every 3 s and a block every 12 s cost at most 2.7 million puts a month, close to the estimate", async () => {
  const { counts, putsAMonth: estimate } = await simulate({ historyHours: 6, hours: HOURS });
  const puts = [...counts.values()].reduce((sum, asked) => sum + asked.puts, 0);
  // In a short span a key can be put once more than on average, at the start and at the end.
  expect(puts).toBeLessThanOrEqual(MOST_A_MONTH * SHARE + counts.size);
  expect(Math.abs(puts / (estimate * SHARE) - 1)).toBeLessThan(0.05);
});

const PACE = {
  minimumPutInterval: 5_000,
  publications: allPublications({ installationId: "wheel-1", statisticsInterval: 30_000 }),
  selected: () => true,
  receipts: [{ configured: true, everyMs: 3_000 }],
  hasChain: true,
};

test("the estimate counts the keys of receipts and chain, the statistics and the lease", () => {
  const perDay = 3 * 17_280 + 5_760 + 13 * 1_440 + 2 * 5 * 144 + 8_640;
  expect(putsAMonth(PACE)).toBe(30 * perDay);
});

test("the estimate accounts for slow receipts, a missing chain, another installation and a missing ledger", () => {
  const day = (pace: object) => putsAMonth({ ...PACE, ...pace }) / 30;
  const slow = { receipts: [{ configured: true, everyMs: 60_000 }], hasChain: false };
  expect(day(slow)).toBe(3 * 1_440 + 1_440 + 8_640);
  const two = [...slow.receipts, { configured: false, everyMs: 10_000 }];
  expect(day({ ...slow, receipts: two })).toBe(day(slow) + 2 * 8_640);
  expect(day({ receipts: [], hasChain: false })).toBe(8_640);
  expect(day({ selected: (resource: string) => resource === "onchain" })).toBe(5_760 + 8_640);
});
