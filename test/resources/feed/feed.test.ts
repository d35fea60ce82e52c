import { expect, test } from "vitest";
import { MEASUREMENT_TYPES } from "../../../src/projections/activity/event-types.ts";
import { atomFeed, entryTexts, jsonFeed } from "../../../src/resources/feed/documents.ts";
import { feedPublications } from "../../../src/resources/feed/publication.ts";
import { rewardsClaimed, roundReleased } from "../../publish/activity/chain-logs.ts";
import { FeedWorld } from "../../publish/activity/feed-world.ts";
import { batchEvents } from "../../support/chain/chain-db.ts";
import { AT, chainState } from "../../support/chain/chain-state.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [jsonPublication, atomPublication] = feedPublications({
  program: "1.0.0",
  files: [],
  publicUrl: undefined,
  deployment: null,
  chainMaxAge: 600_000,
});

function everything(): FeedWorld {
  const world = new FeedWorld();
  const batch = { block: 110n, time: AT - 20 * HOUR, rounds: 16n, activeRounds: 9n, work: 2500n };
  const at = (blockNumber: bigint, hours: number) => ({ blockNumber, logIndex: 1, blockTimestamp: AT - hours * HOUR });
  world.mine([...batchEvents([batch]), roundReleased(at(111n, 19)), rewardsClaimed(at(114n, 16))], 500n);
  world.receive([
    { observedAt: AT - 2 * DAY - 15 * HOUR, epoch: "a", speed: 480, distance: 1_500_000 },
    { observedAt: AT - DAY - 15 * HOUR, epoch: "a", speed: 520, distance: 2_700_000 },
    { observedAt: AT - 15 * HOUR, epoch: "a", speed: 400, distance: 3_900_000 },
  ]);
  return world;
}

const bodyOf = (publication: typeof jsonPublication, world: FeedWorld) => publication?.build(world.advance(), AT);

test("the feed has settlements and all five kinds of milestones, newest first, but no players' events", async () => {
  const built = bodyOf(jsonPublication, everything());
  const feed = JSON.parse(built?.body ?? "") as { items: { id: string; date_published: string; tags: string[] }[] };
  expect(new Set(feed.items.flatMap(({ tags }) => tags))).toEqual(
    new Set(["system.settlement_completed", ...MEASUREMENT_TYPES]),
  );
  const dates = feed.items.map(({ date_published }) => date_published);
  expect(dates).toEqual(dates.toSorted().toReversed());
  await expect(`${JSON.stringify(feed, null, 2)}\n`).toMatchFileSnapshot("golden/feed.json");
});

test("Atom has the same ids, and the newest entry's instant", async () => {
  const world = everything();
  const json = JSON.parse(bodyOf(jsonPublication, world)?.body ?? "") as {
    items: { id: string; date_published: string }[];
  };
  const atom = bodyOf(atomPublication, world)?.body ?? "";
  const ids = [...atom.matchAll(/<entry>\n<id>([^<]*)<\/id>/g)].map(([, id]) => id);
  expect(ids).toEqual(json.items.map(({ id }) => id));
  expect(/<updated>([^<]*)<\/updated>/.exec(atom)?.[1]).toBe(json.items[0]?.date_published);
  await expect(atom).toMatchFileSnapshot("golden/feed.atom");
});

test("the feed has the newest fifty events of any kind", () => {
  const world = new FeedWorld();
  const batches = Array.from({ length: 60 }, (_, index) => ({
    block: BigInt(100 + index),
    time: AT - (100 - index) * HOUR,
    rounds: 1n,
    activeRounds: 1n,
    work: 10n,
  }));
  world.mine(batchEvents(batches), 500n);
  const { items } = JSON.parse(bodyOf(jsonPublication, world)?.body ?? "") as { items: { date_published: string }[] };
  expect(items).toHaveLength(50);
  expect(items[0]?.date_published).toBe(new Date(AT - 41 * HOUR).toISOString());
});

test("an unavailable chain does not replace a good feed, and without a chain the feed has only milestones", () => {
  const world = everything();
  world.chain = { ...chainState(), core: { status: "unavailable", reason: "indexer_unavailable" } };
  expect(bodyOf(jsonPublication, world)).toMatchObject({ isPlaceholder: true });
  const alone = new FeedWorld();
  alone.chain = { ...chainState(), core: { status: "unavailable", reason: "indexer_disabled" }, binding: undefined };
  alone.receive([{ observedAt: AT - HOUR, epoch: "a", speed: 600, distance: 1_500_000 }]);
  const built = bodyOf(jsonPublication, alone);
  expect(built?.isPlaceholder).toBeUndefined();
  expect(JSON.parse(built?.body ?? "").items.length).toBeGreaterThan(0);
});

test("links need a known address, and XML is escaped", () => {
  const entry = { id: "tag:a", type: "t", title: 'A & B <"C">', text: "x", occurredAt: "2026-11-20T10:00:00.000Z" };
  const feed = { installationId: "wheel-1", publicUrl: "https://example.org/a?b&c", entries: [entry] };
  expect(JSON.parse(jsonFeed(feed))).toMatchObject({
    home_page_url: "https://example.org/a?b&c/",
    feed_url: "https://example.org/a?b&c/feed.json",
  });
  expect(atomFeed(feed)).toContain(
    'rel="self" type="application/atom+xml" href="https://example.org/a?b&amp;c/feed.atom"',
  );
  expect(atomFeed(feed)).toContain("<title>A &amp; B &lt;&quot;C&quot;&gt;</title>");
  const without = { ...feed, publicUrl: undefined, deployment: null, chainMaxAge: 600_000, entries: [] };
  expect(jsonFeed(without)).not.toContain("_url");
  expect(atomFeed(without)).not.toContain("<link");
  expect(atomFeed(without)).toContain("<updated>1970-01-01T00:00:00.000Z</updated>");
});

test("distances and speeds are exact", () => {
  const title = (payload: Record<string, number>) =>
    entryTexts("measurement.lifetime_distance_milestone", payload).title;
  expect(title({ milestoneMm: 1_000_000 })).toBe("1 km in all");
  expect(title({ milestoneMm: 42_195_000 })).toBe("42.195 km in all");
  expect(entryTexts("measurement.speed_milestone", { milestoneMmPerSecond: 500, speedMmPerSecond: 520 })).toEqual({
    title: "0.5 m/s for the first time",
    text: "A speed of 0.52 m/s was measured.",
  });
  expect(() => entryTexts("player.unit_minted", {})).toThrow("no text");
});
