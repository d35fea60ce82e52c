/** The requests of a wheel's day: the real publisher under a set clock, its store's requests counted by key. */
import type { Asked } from "../support/stores/counting-store.ts";
import { simulate } from "../support/publisher/simulated-day.ts";

const HISTORY_HOURS = 30 * 24;
const DAYS_A_MONTH = 30;
const MOST_A_MONTH = 2_700_000;

export async function run(): Promise<void> {
  const { counts, putsAMonth } = await simulate({ historyHours: HISTORY_HOURS, hours: 24 });
  for (const [key, { puts, gets, deletes }] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`${key}: ${puts} puts, ${gets} gets, ${deletes} deletes a day`);
  }
  const monthly = (what: keyof Asked) =>
    DAYS_A_MONTH * [...counts.values()].reduce((sum, asked) => sum + asked[what], 0);
  console.log(`a month: ${monthly("puts")} puts, ${monthly("gets")} gets, ${monthly("deletes")} deletes`);
  console.log(`at most ${MOST_A_MONTH} puts wanted; start-up's estimate is ${putsAMonth}`);
}
