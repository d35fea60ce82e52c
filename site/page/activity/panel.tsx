/** Shows activity by category. A button loads older events. */

import { useEffect, useState } from "preact/hooks";
import type { ActivityCategory } from "../../../src/client/create-client.ts";
import { useView } from "../data/use-view.ts";
import { ACTIVITY, askOlder, SETTLEMENTS } from "../data/views.ts";
import { Choice } from "../parts/choice.tsx";
import { Panel } from "../parts/panel.tsx";
import { ms } from "../words/time.ts";
import { EventItems, type Token } from "./event.tsx";
import { type Feed, MOST_EVENTS, withNewest, withOlder } from "./feed.ts";

const CATEGORIES = [
  ["all", "All"],
  ["measurement", "Milestones"],
  ["protocol", "Protocol"],
  ["players", "Players"],
] as const;

/** Until the settlements name the token. It has 18 decimals (docs/spec/api.md#settlements). */
const UNNAMED: Token = { symbol: "tokens", decimals: 18 };

export function ActivityPanel() {
  const [category, choose] = useState<ActivityCategory>("all");
  const view = useView(ACTIVITY[category]);
  const { body } = view;
  const settlements = useView(SETTLEMENTS.now).body;
  const token = settlements?.status === "available" ? settlements.economy : UNNAMED;
  return (
    <Panel
      id="activity"
      heading="Activity"
      asOf={body?.status === "available" ? ms(body.generatedAt) : undefined}
      path={`/v1/public/activity?category=${category}`}
      view={view}
      subject="Activity is"
      controls={<Choice label="Activity shown" options={CATEGORIES} value={category} choose={choose} />}
    >
      {body?.status === "available" && <Events key={category} category={category} newest={body} token={token} />}
    </Panel>
  );
}

interface EventsProps {
  readonly category: ActivityCategory;
  readonly newest: Parameters<typeof withNewest>[1];
  readonly token: Token;
}

function Events({ category, newest, token }: EventsProps) {
  const [feed, hold] = useState<Feed>(() => withNewest(undefined, newest));
  const [asking, ask] = useState<"no" | "yes" | "failed">("no");
  useEffect(() => hold((held) => withNewest(held, newest)), [newest]);
  const loadOn = async (cursor: string) => {
    ask("yes");
    const older = await askOlder(category, cursor).catch(() => undefined);
    ask(older?.status === "available" ? "no" : "failed");
    if (older?.status === "available") hold((held) => withOlder(held, older));
  };
  const { events, cursor } = feed;
  if (events.length === 0) return <p>Nothing has happened yet.</p>;
  return (
    <>
      <ol class="events" aria-label="Events, newest first, times in UTC">
        <EventItems events={events} token={token} />
      </ol>
      {asking === "failed" && <p class="late">Older events could not be read.</p>}
      {cursor !== null && (
        <button type="button" class="more" disabled={asking === "yes"} onClick={() => void loadOn(cursor)}>
          {asking === "yes" ? "Loading…" : "Older events"}
        </button>
      )}
      {events.length >= MOST_EVENTS && <p class="note">Older events are in the API.</p>}
    </>
  );
}
