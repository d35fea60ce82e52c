/** Shows settlements by range: their sums, the work per slice, the batches, and the queue's projection. */

import { useState } from "preact/hooks";
import type { SettlementRange, Settlements } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { useView } from "../data/use-view.ts";
import { SETTLEMENTS } from "../data/views.ts";
import { type Bar, Bars } from "../parts/bars.tsx";
import { Choice } from "../parts/choice.tsx";
import { Figure } from "../parts/figure.tsx";
import { Panel, useStopped } from "../parts/panel.tsx";
import { grouped, plural } from "../words/number.ts";
import { reasonWords } from "../words/reasons.ts";
import { clock, day, ms, shortDay } from "../words/time.ts";
import { Batches, Mint } from "./batches.tsx";

const DAY_SECONDS = 86_400;
/** Slices per label: every fourth hour, each noon, or every fifth day. */
const SLICES_PER_TICK = { now: 1, "24h": 4, "7d": 4, "30d": 5 } as const;

const SLICE = { now: "slice", "24h": "hour", "7d": "six hours", "30d": "day" } as const;

/** Shows the work settled per slice of the range. Slices in the future are marked. */
function WorkBars({ history }: { readonly history: Available<Settlements> }) {
  const generatedAt = ms(history.generatedAt);
  const daily = history.window?.bucketSeconds === DAY_SECONDS;
  const bars = history.buckets.map((bucket): Bar => {
    const start = ms(bucket.startAt);
    const ahead = start > generatedAt;
    const runs = !ahead && ms(bucket.endAt) > generatedAt;
    return {
      key: bucket.startAt,
      name: daily ? `Day from noon, ${day(start)}` : `${day(start)}, ${clock(start)}–${clock(ms(bucket.endAt))} UTC`,
      value: ahead ? 0n : BigInt(bucket.workAdded),
      mark: ahead ? "ahead" : runs ? "partial" : undefined,
      tick: ahead ? "" : history.range === "24h" ? clock(start) : shortDay(start),
      cells: ahead
        ? ["not yet", "not yet", "not yet"]
        : [
            `${plural(bucket.workAdded, "unit")}${runs ? " so far" : ""}`,
            plural(bucket.settlementCount, "settlement"),
            plural(bucket.completedBlockCount, "block"),
          ],
    };
  });
  return (
    <Bars
      label={`Units of work settled per ${SLICE[history.range]}`}
      columns={["Slice", "Work", "Settlements", "Blocks"]}
      bars={bars}
      format={grouped}
      every={SLICES_PER_TICK[history.range]}
    />
  );
}

const RANGES = [
  ["now", "ever"],
  ["24h", "24 h"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

export function SettlementsPanel() {
  const [range, choose] = useState<SettlementRange>("7d");
  const view = useView(SETTLEMENTS[range]);
  const { body, headers } = view;
  const newest = useView(SETTLEMENTS.now).body;
  const saved = headers?.get("x-service-settlement-source") === "durable-cache";
  return (
    <Panel
      id="settlements"
      heading="Settlements"
      asOf={body?.status === "available" ? ms(body.generatedAt) : undefined}
      path={`/v4/public/settlements?range=${range}`}
      view={view}
      subject="Settlements are"
      controls={<Choice label="Settlements shown" options={RANGES} value={range} choose={choose} />}
    >
      {saved && <Saved reason={headers?.get("x-service-settlement-fallback-reason") ?? ""} />}
      {body?.status === "available" && <History history={body} newest={newest} />}
    </Panel>
  );
}

/** Notes that the history is saved, because the chain could not be read. */
function Saved({ reason }: { readonly reason: string }) {
  return <p class="late">Saved history, not read from the chain just now. {reasonWords(reason, useStopped()).why}</p>;
}

interface HistoryProps {
  readonly history: Available<Settlements>;
  readonly newest: Settlements | undefined;
}

function History({ history, newest }: HistoryProps) {
  const { summary } = history;
  const projection = newest?.status === "available" ? newest.queueProjection : undefined;
  return (
    <div class="pair">
      <div class="stack">
        <dl class="figures">
          <Figure name="Settlements">{grouped(summary.settlementCount)}</Figure>
          <Figure name="Work settled">{grouped(summary.workAdded)} units</Figure>
          <Figure name="Blocks completed">{grouped(summary.completedBlockCount)}</Figure>
          <Figure name="Rounds with work">{grouped(summary.activeRoundCount)}</Figure>
        </dl>
        {history.buckets.length > 0 && <WorkBars history={history} />}
        {projection !== undefined && <Projection projection={projection} economy={history.economy} />}
      </div>
      <Batches history={history} />
    </div>
  );
}

interface ProjectionProps {
  readonly projection: NonNullable<Available<Settlements>["queueProjection"]>;
  readonly economy: Available<Settlements>["economy"];
}

function Projection({ projection, economy }: ProjectionProps) {
  const { settledThroughRound, activeRoundCount, completedBlockCount, amountBaseUnits } = projection;
  return (
    <div class="projection">
      <h3>If the queue were settled</h3>
      <p class="projected">
        ~ through round {settledThroughRound}, {plural(activeRoundCount, "round")} with work,{" "}
        {plural(completedBlockCount, "block")} completed
      </p>
      <p>
        Reward: <Mint mint={{ state: "pending", amountBaseUnits }} economy={economy} />
      </p>
      <p class="note">A projection: neither settled work nor confirmed minting.</p>
    </div>
  );
}
