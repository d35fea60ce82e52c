import fc from "fast-check";
import { expect, test } from "vitest";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { addToIntervals, longestInterval } from "../../../src/projections/rounds/intervals.ts";

const batches = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), { maxLength: 8 });

test("intervals are the runs of all added numbers, in any order and any batches", () => {
  fc.assert(
    fc.property(batches, (lists) => {
      const db = openProjectionsInMemory();
      const added = new Set<number>();
      for (const list of lists) {
        const fresh = [...new Set(list)].filter((number) => !added.has(number)).sort((a, b) => a - b);
        addToIntervals(db, "slot", fresh);
        for (const number of fresh) added.add(number);
      }
      const runs = runsOf(added);
      const sql = "SELECT first, length FROM active_interval WHERE unit = 'slot' ORDER BY first";
      expect(db.prepare(sql).all()).toEqual(runs);
      const longest = runs.toSorted((a, b) => b.length - a.length || a.first - b.first)[0];
      expect(longestInterval(db, "slot")).toEqual(longest);
      expect(longestInterval(db, "day")).toBeUndefined();
      db.close();
    }),
    { numRuns: 100 },
  );
});

function runsOf(numbers: ReadonlySet<number>): { first: number; length: number }[] {
  const runs: { first: number; length: number }[] = [];
  for (let number = 0; number <= 40; number += 1) {
    if (!numbers.has(number)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.first + run.length === number) run.length += 1;
    else runs.push({ first: number, length: 1 });
  }
  return runs;
}
