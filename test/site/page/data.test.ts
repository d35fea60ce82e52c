/** How often the page sends requests, and which events it keeps. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Feed, withNewest, withOlder } from "../../../site/page/activity/feed.ts";
import { delayOf } from "../../../site/page/data/view.ts";

it("waits for its interval while requests succeed", () => {
  expect(delayOf({ every: 10_000, failures: 0 }, 0.9)).toBe(10_000);
});

it("requests less often while they fail, telemetry at least every two minutes, and honours Retry-After", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(10_000, 20_000, 30_000, 60_000),
      fc.integer({ min: 1, max: 5_000 }),
      fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (every, failures, retryAfter, random) => {
        const delay = delayOf({ every, failures, retryAfter }, random);
        expect(delay).toBeGreaterThanOrEqual(1.6 * every);
        expect(delay).toBeLessThanOrEqual(120_000);
        expect(delay).toBeGreaterThanOrEqual(Math.min((retryAfter ?? 0) * 1000, 115_000));
      },
    ),
  );
});

type Event = Feed["events"][number];

const page = (ids: readonly number[], nextCursor: string | null = "older") => ({
  events: ids.map((id) => ({ id: String(id) }) as Event),
  nextCursor,
});
const idsOf = ({ events }: Feed) => events.map(({ id }) => Number(id));

it("puts new events before the existing ones and older events after them, without duplicates", () => {
  const first = withNewest(undefined, page([5, 4, 3]));
  const older = withOlder(first, page([3, 2, 1], null));
  expect(idsOf(older)).toEqual([5, 4, 3, 2, 1]);
  expect(older.cursor).toBeNull();
  const newer = withNewest(older, page([7, 6, 5]));
  expect(idsOf(newer)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(withNewest(newer, page([7, 6, 5]))).toBe(newer);
});

it("drops events that a newer page does not reach, so that a gap does not look like a sequence", () => {
  const held = withOlder(withNewest(undefined, page([5, 4])), page([3, 2], null));
  const after = withNewest(held, page([9, 8], "from-8"));
  expect(idsOf(after)).toEqual([9, 8]);
  expect(after.cursor).toBe("from-8");
});
