import { expect, it } from "vitest";
import { type Feed, MOST_EVENTS, withNewest, withOlder } from "../../../site/page/activity/feed.ts";

type Event = Feed["events"][number];

const page = (ids: readonly number[], nextCursor: string | null = "older") => ({
  events: ids.map((id) => ({ id: String(id) }) as Event),
  nextCursor,
});
const idsOf = ({ events }: Feed) => events.map(({ id }) => Number(id));

it("puts new events before those it holds, older ones behind, none twice", () => {
  const first = withNewest(undefined, page([5, 4, 3]));
  const older = withOlder(first, page([3, 2, 1], null));
  expect(idsOf(older)).toEqual([5, 4, 3, 2, 1]);
  expect(older.cursor).toBeNull();
  const newer = withNewest(older, page([7, 6, 5]));
  expect(idsOf(newer)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(withNewest(newer, page([7, 6, 5]))).toBe(newer);
});

it("lets go of what a newer page does not reach: a gap does not look like a sequence", () => {
  const held = withOlder(withNewest(undefined, page([5, 4])), page([3, 2], null));
  const after = withNewest(held, page([9, 8], "from-8"));
  expect(idsOf(after)).toEqual([9, 8]);
  expect(after.cursor).toBe("from-8");
});

it("keeps one page as long as the reader loads no older events", () => {
  let feed = withNewest(undefined, page([1, 0]));
  for (let id = 2; id < 100; id++) feed = withNewest(feed, page([id, id - 1], `after-${id - 1}`));
  expect(idsOf(feed)).toEqual([99, 98]);
  expect(feed.cursor).toBe("after-98");
});

it("stops growing after older events were loaded", () => {
  let feed = withOlder(withNewest(undefined, page([0])), page([-1]));
  for (let id = 1; id < 2 * MOST_EVENTS; id++) feed = withNewest(feed, page([id, id - 1]));
  expect(feed.events).toHaveLength(MOST_EVENTS);
  expect(feed.cursor).toBeNull();
});
