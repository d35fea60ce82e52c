/** A tile of the activity by itself: of events, or of the names of tiles (docs/spec/publishing.md#activity-tiles). */
import type { StoredObject } from "../../object-store/object-store.ts";
import { activityEventSchema } from "../../resources/activity/schema-events.ts";
import { decodeIndexTile, decodeTile, type EventLine, type TileEntry } from "../../resources/activity/stored-feed.ts";
import { hashInName, hashOf } from "../../resources/activity/tiles/tile-body.ts";
import { chainEventKey, isActivityKey } from "../../values/activity-key.ts";

/** A hash; until an hour after an upgrade names of earlier versions are stored, with history and epoch before it. */
const NAME = /^(?:[1-9]\d*-[1-9]\d*-)?[A-Za-z0-9_-]{22}$/;

export interface ActivityTileFacts {
  readonly complaint: string | undefined;
  /** Key of the newest event; of an index tile the name of its newest tile. */
  readonly first: string;
  /** Key of the oldest event. */
  readonly last: string;
  /** Events, or tiles. */
  readonly count: number;
  /** Of an index tile: what it names, newest first. */
  readonly entries?: readonly TileEntry[];
}

export function judgeActivityTile(name: string, object: StoredObject): ActivityTileFacts {
  const text = new TextDecoder().decode(object.body);
  const wrongName = NAME.test(name)
    ? hashInName(name) === hashOf(text)
      ? undefined
      : "the hash in its name is not that of its bytes"
    : "its name is none of a tile";
  const isIndex = NAME.test(text.slice(0, Math.max(0, text.indexOf("\t"))));
  const facts = isIndex ? indexFacts(text) : eventFacts(text);
  return { ...facts, complaint: wrongName ?? facts.complaint };
}

/** Lines of events, newest first: of a tile, or of a head. */
export function eventsComplaint(events: readonly EventLine[]): string | undefined {
  for (const [index, { key, text }] of events.entries()) {
    const newer = events[index - 1]?.key;
    const complaint =
      newer !== undefined && newer <= key ? "it is not older than the one before" : eventComplaint(key, text);
    if (complaint !== undefined) return `event ${index + 1}: ${complaint}`;
  }
  return undefined;
}

function eventFacts(text: string): ActivityTileFacts {
  const events = decodeTile(text);
  const [first, last] = [events[0]?.key ?? "", events.at(-1)?.key ?? ""];
  return { complaint: eventsComplaint(events), first, last, count: events.length };
}

function indexFacts(text: string): ActivityTileFacts {
  const entries = decodeIndexTile(text);
  const wrong = entries.findIndex(({ name, last }, index) => {
    const newer = entries[index - 1]?.last;
    return !NAME.test(name) || !isActivityKey(last) || (newer !== undefined && newer <= last);
  });
  const complaint = wrong === -1 ? undefined : `line ${wrong + 1} is no tile older than the one before`;
  return { complaint, first: entries[0]?.name ?? "", last: entries.at(-1)?.last ?? "", count: entries.length, entries };
}

function eventComplaint(key: string, text: string): string | undefined {
  if (!isActivityKey(key)) return "its key is none of an event";
  try {
    const { data, error } = activityEventSchema.safeParse(JSON.parse(text));
    if (data === undefined) return `${error?.issues[0]?.path.join(".")}: ${error?.issues[0]?.message}`;
    const instant = chainEventKey(Date.parse(data.occurredAt), { blockNumber: 0n, transactionIndex: 0, logIndex: 0 });
    return key.slice(0, 15) === instant.slice(0, 15) ? undefined : "its key is of another instant";
  } catch {
    return "it is no JSON";
  }
}
