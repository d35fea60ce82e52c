/** Each rule of docs/spec/api.md#statistics-rules rejects a body that breaks it, and the error names the rule. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statisticsSchema } from "../../../src/resources/statistics/contract.ts";
import type { Statistics } from "../../../src/resources/statistics/schema.ts";

const golden = readFileSync(join(import.meta.dirname, "golden", "oracle-available-30d.json"), "utf8");

type Mutable<T> = T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> } : T;
type Break = (body: Mutable<Statistics>) => void;

const bucket = (body: Mutable<Statistics>, coverage: string) => {
  const found = body.activity.days.flatMap(({ buckets }) => buckets).find((one) => one.coverage === coverage);
  if (found === undefined) throw new Error(`the golden body has no ${coverage} bucket`);
  return found;
};
const day = (body: Mutable<Statistics>, index: number) => {
  const found = body.activity.days[index];
  if (found === undefined) throw new Error(`the golden body has no day ${index}`);
  return found;
};
const oracle = (body: Mutable<Statistics>) => {
  if (body.oracle.status !== "available") throw new Error("the golden body has no oracle");
  return body.oracle;
};

test("the golden body breaks no rule", () => {
  expect(statisticsSchema.parse(JSON.parse(golden).body)).toEqual(JSON.parse(golden).body);
});

test.for<[string, Break]>([
  ["bucket rule 1", (body) => void (bucket(body, "complete").observedRoundCount = 2)],
  ["bucket rule 2", (body) => void (bucket(body, "partial").workUnits = null)],
  ["bucket rule 3: missing", (body) => void (bucket(body, "missing").workUnits = "0")],
  ["bucket rule 3: future", (body) => void (bucket(body, "future").observedRoundCount = 1)],
  ["aggregate rule 1", (body) => void (body.window.dayCount = 7)],
  ["aggregate rule 1", (body) => void body.activity.days.shift()],
  ["aggregate rule 2", (body) => void (day(body, 3).date = "2026-10-01")],
  ["aggregate rule 2", (body) => void (body.window.endAt = "2026-11-20T10:05:00.001Z")],
  ["aggregate rule 2", (body) => void (body.window.startAt = "2026-10-21T11:00:00.000Z")],
  ["aggregate rule 3", (body) => void day(body, 0).buckets.sort((a, b) => b.startMinuteUtc - a.startMinuteUtc)],
  ["aggregate rule 3", (body) => void body.activity.typicalDay.sort((a, b) => b.startMinuteUtc - a.startMinuteUtc)],
  ["aggregate rule 4: daily", (body) => void (bucket(body, "complete").workUnits = "1")],
  ["aggregate rule 4: response", (body) => void (body.activity.summary.observedDistanceMm = "1")],
  ["aggregate rule 4: response", (body) => void (body.activity.summary.activeDayCount -= 1)],
  ["aggregate rule 5", (body) => void (body.activity.coverage.coverageBps += 1)],
  ["aggregate rule 5", (body) => void (body.activity.coverage.complete = true)],
  ["aggregate rule 5", (body) => void (day(body, 2).coverage.coverageBps -= 1)],
  ["aggregate rule 6", (body) => void (body.activity.summary.inactiveDayCount += 1)],
  [
    "aggregate rule 7: the typical",
    ({ activity }) => activity.typicalDay.forEach((slot) => (slot.meanWorkMilli = "1")),
  ],
  ["aggregate rule 7: means", (body) => void (body.rounds.averageActiveWorkMilli = "1")],
  ["aggregate rule 8", (body) => void (body.rounds.missingCount += 1)],
  ["aggregate rule 8", (body) => void (body.rounds.zeroWorkCount += 1)],
  ["aggregate rule 9", (body) => void (body.lifetime.acceptedWorkUnits = "1")],
  ["aggregate rule 9", (body) => void (body.lifetime.activeDayCount = 0)],
  ["aggregate rule 10: outcomes", (body) => void (oracle(body).supersededCount += 1000)],
  ["aggregate rule 10: outcomes", (body) => void (oracle(body).revertRateBps += 1)],
  ["aggregate rule 10: outcomes", (body) => void (oracle(body).completeForWindow = false)],
  ["aggregate rule 10: the 90th", (body) => void (oracle(body).finalityP90Ms = 0)],
  ["aggregate rule 10: the 90th", (body) => void (body.rounds.p90ActiveWork = "1")],
  ["aggregate rule 11", (body) => void (body.activity.summary.mostActiveDate = null)],
  ["aggregate rule 11", (body) => void (body.rounds.mostActiveWork = null)],
])("the schema rejects a body that breaks %s", ([rule, breakIt]) => {
  const { body } = JSON.parse(golden) as { body: Mutable<Statistics> };
  breakIt(body);
  const messages = statisticsSchema.safeParse(body).error?.issues.map(({ message }) => message) ?? [];
  expect(messages.filter((message) => message.startsWith(rule))).not.toEqual([]);
});

test.for<[string, (body: Mutable<Statistics>) => object]>([
  ["the top", (body) => body],
  ["window", ({ window }) => window],
  ["lifetime", ({ lifetime }) => lifetime],
  ["activity", ({ activity }) => activity],
  ["summary", ({ activity }) => activity.summary],
  ["a day", (body) => day(body, 0)],
  ["a bucket", (body) => bucket(body, "complete")],
  ["a typical half hour", ({ activity }) => activity.typicalDay[0] ?? {}],
  ["a record", ({ records }) => records.mostWorkHalfHour ?? {}],
  ["blocks", ({ blocks }) => blocks],
  ["rounds", ({ rounds }) => rounds],
  ["oracle", ({ oracle }) => oracle],
])("an unknown property of %s is rejected", ([, part]) => {
  const { body } = JSON.parse(golden) as { body: Mutable<Statistics> };
  Object.assign(part(body), { mintedTokens: "1" });
  expect(statisticsSchema.safeParse(body).success).toBe(false);
});
