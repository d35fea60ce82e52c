import { expect, test } from "vitest";
import { rareReport } from "../../../src/shim/node/rare-report.ts";

test("the first failure is reported at once, those of the next ten seconds as a number", () => {
  const told: [unknown, number][] = [];
  let now = 0;
  const report = rareReport(
    (error, before) => told.push([error, before]),
    () => now,
  );
  for (now = 0; now < 25_000; now += 1000) report(now);
  expect(told).toEqual([
    [0, 0],
    [10_000, 9],
    [20_000, 9],
  ]);
});
