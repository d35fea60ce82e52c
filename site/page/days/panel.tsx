/** Shows 7 or 30 days: the heat map, its sums, and the records. */

import { useState } from "preact/hooks";
import type { Statistics, StatisticsRange } from "../../../src/client/create-client.ts";
import { useView } from "../data/use-view.ts";
import { STATISTICS } from "../data/views.ts";
import { Choice } from "../parts/choice.tsx";
import { memo } from "../parts/memo.ts";
import { Panel, Part } from "../parts/panel.tsx";
import { ms } from "../words/time.ts";
import { DailyWork, TypicalDay } from "./daily.tsx";
import { Lifetime, RangeFigures, Records, Rounds } from "./figures.tsx";
import { HeatMap } from "./heat-map.tsx";
import { Blocks, Reporter } from "./reporter.tsx";

const RANGES = [
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

export function DaysPanel() {
  const [range, choose] = useState<StatisticsRange>("7d");
  const view = useView(STATISTICS[range]);
  const { body, failure } = view;
  return (
    <Panel
      id="days"
      heading="Days"
      asOf={body === undefined ? undefined : ms(body.generatedAt)}
      view={view}
      subject="The days are"
      waiting={body === undefined && failure === undefined}
      controls={<Choice label="Days shown" options={RANGES} value={range} choose={choose} />}
    >
      {(body !== undefined || failure === undefined) && (
        <HeatMap key={range} days={body?.activity.days} count={range === "7d" ? 7 : 30} />
      )}
      {body !== undefined && <Rest statistics={body} />}
    </Panel>
  );
}

const Rest = memo(({ statistics }: { readonly statistics: Statistics }) => {
  const { activity, records, rounds, oracle, blocks, lifetime } = statistics;
  return (
    <>
      <p class="note">
        From {activity.provenance.replace("_", " ")}: a round that was not accepted is missing, not zero.
      </p>
      <RangeFigures activity={activity} />
      <div class="pair">
        <DailyWork days={activity.days} />
        <TypicalDay activity={activity} />
      </div>
      <div class="pair">
        <Part heading="Records ever">
          <Records records={records} />
        </Part>
        <div class="stack">
          <Part heading="Rounds of ten minutes">
            <Rounds rounds={rounds} />
          </Part>
          <Part heading="Oracle and Reporter">
            <Reporter oracle={oracle} />
          </Part>
          {blocks.status === "available" && (
            <Part heading="Blocks">
              <Blocks blocks={blocks} />
            </Part>
          )}
        </div>
      </div>
      <Part heading="Since the beginning">
        <Lifetime lifetime={lifetime} activity={activity} />
      </Part>
      {blocks.status === "unavailable" && <Blocks blocks={blocks} />}
    </>
  );
});
