/** Counts store requests by key over one simulated day. Runs the real publisher against a controlled clock. */
import { newPrivateKey, parseSigner } from "../../../src/log/signer.ts";
import { simulate } from "../support/publisher/simulated-day.ts";
import type { Counts, RequestCounts } from "../support/stores/counting-store.ts";

const HISTORY_HOURS = 30 * 24;
const DAYS_A_MONTH = 30;
const MAX_PUTS_A_MONTH = 4_250_000;

export async function run(): Promise<void> {
  for (const signers of [[], [parseSigner(newPrivateKey("day.example.org"))]]) {
    console.log(signers.length === 0 ? "a private log" : "a public log");
    print(await simulate({ historyHours: HISTORY_HOURS, hours: 24, signers }));
  }
  console.log(`goal: at most ${MAX_PUTS_A_MONTH} puts a month with a private log`);
}

function print(counts: Counts): void {
  for (const [key, { puts, gets, deletes }] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`${key}: ${puts} puts, ${gets} gets, ${deletes} deletes per day`);
  }
  const monthly = (method: keyof RequestCounts) =>
    DAYS_A_MONTH * [...counts.values()].reduce((sum, requests) => sum + requests[method], 0);
  console.log(`a month: ${monthly("puts")} puts, ${monthly("gets")} gets, ${monthly("deletes")} deletes`);
}
