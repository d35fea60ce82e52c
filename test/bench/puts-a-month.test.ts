/** Puts per month, extrapolated from fifteen simulated minutes. `npm run bench -- day` simulates a whole day. */
import { expect, test } from "vitest";
import { simulate } from "./support/publisher/simulated-day.ts";

const MOST_A_MONTH = 4_250_000;
const HOURS = 1 / 4;
const SHARE = HOURS / (30 * 24);

test("a receipt every 3 s and a block every 12 s cost at most 4.25 million puts a month", async () => {
  const counts = await simulate({ historyHours: 2, hours: HOURS });
  const puts = [...counts.values()].reduce((sum, asked) => sum + asked.puts, 0);
  // In a short span a key can be put once more than on average, at the start and at the end.
  expect(puts).toBeLessThanOrEqual(MOST_A_MONTH * SHARE + counts.size);
});
