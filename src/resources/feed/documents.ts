/**
 * Builds the feeds (docs/spec/people.md#files): settlements and milestones as sentences, in JSON Feed 1.1
 * (jsonfeed.org) and Atom (RFC 4287). Both have the same entries, newest first.
 */
import type { ActivityEvent } from "../../projections/activity/activity-events.ts";
import { withoutLast } from "../../values/text.ts";
import { type ActivityContext, eventText } from "../activity/event.ts";

export interface Feed {
  readonly installationId: string;
  readonly publicUrl: string | undefined;
  /** Newest first. */
  readonly entries: readonly FeedEntry[];
}

/** The date of an empty feed, because Atom requires one. */
const NEVER = "1970-01-01T00:00:00.000Z";

export function jsonFeed({ installationId, publicUrl, entries }: Feed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: titleOf(installationId),
    ...(publicUrl === undefined ? {} : { home_page_url: `${publicUrl}/`, feed_url: `${publicUrl}/feed.json` }),
    items: entries.map(({ id, title, text, occurredAt, type }) => ({
      id,
      title,
      content_text: text,
      date_published: occurredAt,
      tags: [type],
    })),
  });
}

export function atomFeed({ installationId, publicUrl, entries }: Feed): string {
  const links =
    publicUrl === undefined
      ? []
      : [
          `<link rel="self" type="application/atom+xml" href="${escaped(`${publicUrl}/feed.atom`)}"/>`,
          `<link rel="alternate" type="text/html" href="${escaped(`${publicUrl}/`)}"/>`,
        ];
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escaped(tagUri(installationId, "feed"))}</id>`,
    `<title>${escaped(titleOf(installationId))}</title>`,
    `<updated>${entries[0]?.occurredAt ?? NEVER}</updated>`,
    `<author><name>${escaped(installationId)}</name></author>`,
    ...links,
    ...entries.map(atomEntry),
    "</feed>",
    "",
  ].join("\n");
}

function atomEntry({ id, title, text, occurredAt, type }: FeedEntry): string {
  return [
    "<entry>",
    `<id>${escaped(id)}</id>`,
    `<title>${escaped(title)}</title>`,
    `<published>${occurredAt}</published>`,
    `<updated>${occurredAt}</updated>`,
    `<category term="${escaped(type)}"/>`,
    `<content type="text">${escaped(text)}</content>`,
    "</entry>",
  ].join("\n");
}

function titleOf(installationId: string): string {
  return `${installationId}: settlements and milestones`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export interface FeedEntry {
  /** A tag: URI, which does not depend on the feed's address. */
  readonly id: string;
  readonly type: string;
  readonly title: string;
  /** One sentence. */
  readonly text: string;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/** The only type of the `protocol` category that becomes an entry. */
export const SETTLEMENT_TYPE = "system.settlement_completed";

type Payload = Readonly<Record<string, string | number>>;

export function feedEntry(event: ActivityEvent, context: ActivityContext): FeedEntry {
  const { id, type, occurredAt, payload } = JSON.parse(eventText(event, context)) as {
    readonly id: string;
    readonly type: string;
    readonly occurredAt: string;
    readonly payload: Payload;
  };
  return { id: tagUri(context.installationId, id), type, occurredAt, ...entryTexts(type, payload) };
}

function count(value: string | number | undefined, word: string): string {
  return `${value} ${word}${String(value) === "1" ? "" : "s"}`;
}

/** Returns a tag URI. `.invalid` is reserved (RFC 2606), so ids do not depend on an address. */
function tagUri(installationId: string, name: string): string {
  return `tag:noonmark.invalid,2026:${installationId}/${name}`;
}

/** Returns an entry's title and sentence. Throws if the type has none; a test covers all types. */
export function entryTexts(type: string, payload: Payload): Pick<FeedEntry, "title" | "text"> {
  switch (type) {
    case SETTLEMENT_TYPE: {
      const { settledThroughRound, workAdded, completedBlockCount, blockHeight } = payload;
      return {
        title: `Settled through round ${settledThroughRound}`,
        text: `${count(workAdded, "work unit")} added and ${count(completedBlockCount, "block")} completed; the height is ${blockHeight}.`,
      };
    }
    case "measurement.lifetime_distance_milestone":
      return {
        title: `${kilometres(payload.milestoneMm)} in all`,
        text: `All measured distance has passed ${kilometres(payload.milestoneMm)}.`,
      };
    case "measurement.daily_distance_milestone":
      return {
        title: `${kilometres(payload.milestoneMm)} in a day`,
        text: `The distance of ${payload.date}, from noon to noon UTC, has passed ${kilometres(payload.milestoneMm)}.`,
      };
    case "measurement.speed_milestone":
      return {
        title: `${metresPerSecond(payload.milestoneMmPerSecond)} for the first time`,
        text: `A speed of ${metresPerSecond(payload.speedMmPerSecond)} was measured.`,
      };
    case "measurement.speed_record":
      return {
        title: `A speed record: ${metresPerSecond(payload.speedMmPerSecond)}`,
        text: `The record before was ${metresPerSecond(payload.previousSpeedMmPerSecond)}.`,
      };
    case "measurement.distance_streak":
      return {
        title: `${payload.days} days in a row`,
        text: `Every day from ${payload.startDate} to ${payload.endDate} has a kilometre or more.`,
      };
    default:
      throw new Error(`the type ${type} has no text for feeds`);
  }
}

/** Converts exactly, because millimetres are integers. */
function kilometres(millimetres: string | number | undefined): string {
  return `${scaled(millimetres, 6)} km`;
}

function metresPerSecond(millimetresPerSecond: string | number | undefined): string {
  return `${scaled(millimetresPerSecond, 3)} m/s`;
}

/** Divides an integer by a power of ten, without trailing zeros. */
function scaled(value: string | number | undefined, decimals: number): string {
  const digits = String(value ?? 0).padStart(decimals + 1, "0");
  const fraction = withoutLast(digits.slice(-decimals), "0");
  return `${digits.slice(0, -decimals)}${fraction === "" ? "" : `.${fraction}`}`;
}
