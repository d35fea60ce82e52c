/** One entry of the feeds: a settlement that has completed, or a milestone of the measurement, in words. */
import type { ActivityEvent } from "../../projections/activity/activity-events.ts";
import { withoutLast } from "../../values/text.ts";
import { type ActivityContext, eventText } from "../activity/event.ts";

export interface FeedEntry {
  /** A tag: URI, the same for as long as there is the event, whatever address the feed is read at. */
  readonly id: string;
  readonly type: string;
  readonly title: string;
  /** One sentence. */
  readonly text: string;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/** The types that have an entry, of the `protocol` category. */
export const SETTLEMENT_TYPE = "system.settlement_completed";

type Payload = Readonly<Record<string, string | number>>;

export function feedEntry(event: ActivityEvent, context: ActivityContext): FeedEntry {
  const { id, type, occurredAt, payload } = JSON.parse(eventText(event, context)) as {
    readonly id: string;
    readonly type: string;
    readonly occurredAt: string;
    readonly payload: Payload;
  };
  return { id: tagUri(context.installationId, id), type, occurredAt, ...wordsOf(type, payload) };
}

function count(value: string | number | undefined, word: string): string {
  return `${value} ${word}${String(value) === "1" ? "" : "s"}`;
}

/** `.invalid` is nobody's, and stays so (RFC 2606): ids hang on no address. */
export function tagUri(installationId: string, name: string): string {
  return `tag:noonmark.invalid,2026:${installationId}/${name}`;
}

/** Throws where a type has no words: a test goes through them all. */
export function wordsOf(type: string, payload: Payload): Pick<FeedEntry, "title" | "text"> {
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
      throw new Error(`no words for ${type}`);
  }
}

/** Exact: millimetres are whole. */
function kilometres(millimetres: string | number | undefined): string {
  return `${scaled(millimetres, 6)} km`;
}

function metresPerSecond(millimetresPerSecond: string | number | undefined): string {
  return `${scaled(millimetresPerSecond, 3)} m/s`;
}

/** A whole number divided by a power of ten, without trailing zeros. */
function scaled(value: string | number | undefined, decimals: number): string {
  const digits = String(value ?? 0).padStart(decimals + 1, "0");
  const fraction = withoutLast(digits.slice(-decimals), "0");
  return `${digits.slice(0, -decimals)}${fraction === "" ? "" : `.${fraction}`}`;
}
