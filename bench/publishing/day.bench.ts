/** Counts store requests by key over one simulated day. Runs the real publisher against a controlled clock. */
import type { RequestCounts } from "../support/stores/counting-store.ts";
import { simulate } from "../support/publisher/simulated-day.ts";

const HISTORY_HOURS = 30 * 24;
const DAYS_A_MONTH = 30;
const MAX_PUTS_A_MONTH = 2_700_000;

export async function run(): Promise<void> {
  const counts = await simulate({ historyHours: HISTORY_HOURS, hours: 24 });
  for (const [key, { puts, gets, deletes }] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`${key}: ${puts} puts, ${gets} gets, ${deletes} deletes per day`);
  }
  const monthly = (method: keyof RequestCounts) =>
    DAYS_A_MONTH * [...counts.values()].reduce((sum, requests) => sum + requests[method], 0);
  console.log(`a month: ${monthly("puts")} puts, ${monthly("gets")} gets, ${monthly("deletes")} deletes`);
  console.log(`goal: at most ${MAX_PUTS_A_MONTH} puts`);
}
