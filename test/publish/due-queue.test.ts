import fc from "fast-check";
import { expect, test } from "vitest";
import { DueQueue } from "../../publish/pace.ts";

const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), at: fc.option(fc.nat(100)), now: fc.nat(60) });

test("the due queue gives the same keys as a search over all instants", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new DueQueue();
      const instants = new Map<string, number>();
      for (const { key, at, now } of steps) {
        queue.set(String(key), at ?? undefined);
        if (at === null) instants.delete(String(key));
        else instants.set(String(key), at);
        const isDue = [...instants].filter(([, instant]) => instant <= now).map(([id]) => id);
        // An earlier question may have been asked of a later instant: what was due then is due still.
        expect([...queue.due(now)]).toEqual(expect.arrayContaining(isDue));
        const earliest = instants.size === 0 ? undefined : Math.min(...instants.values());
        expect(queue.next()).toBe(earliest);
      }
    }),
    { numRuns: 200 },
  );
});

test("a key stays due until it gets another instant", () => {
  const queue = new DueQueue();
  queue.set("one", 5);
  queue.set("other", 6);
  expect([...queue.due(5)]).toEqual(["one"]);
  expect([...queue.due(5)]).toEqual(["one"]);
  queue.set("one", 9);
  expect([...queue.due(6)]).toEqual(["other"]);
  queue.set("other", undefined);
  expect([queue.next(), [...queue.due(8)]]).toEqual([9, []]);
});
