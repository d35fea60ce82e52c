/** Settlements by range: how much, which batches, and what the queue would add. */

import { useState } from "preact/hooks";
import type { SettlementRange, Settlements } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { useNow, useView } from "../data/use-view.ts";
import { SETTLEMENTS } from "../data/views.ts";
import { Choice } from "../parts/choice.tsx";
import { Figure } from "../parts/figure.tsx";
import { Panel, Unavailable, useStopped } from "../parts/panel.tsx";
import { grouped, plural } from "../words/number.ts";
import { reasonWords } from "../words/reasons.ts";
import { ms } from "../words/time.ts";
import { Batches } from "./batches.tsx";
import { Mint } from "./mint.tsx";
import { WorkBars } from "./work-bars.tsx";

const RANGES = [
  ["now", "ever"],
  ["24h", "24 h"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;
const SLOW_MS = 15_000;

export function SettlementsPanel() {
  const [range, choose] = useState<SettlementRange>("7d");
  const { body, headers, failure } = useView(SETTLEMENTS[range]);
  const newest = useView(SETTLEMENTS.now).body;
  const now = useNow(SLOW_MS);
  const saved = headers?.get("x-service-settlement-source") === "durable-cache";
  return (
    <Panel
      id="settlements"
      heading="Settlements"
      asOf={body?.status === "available" ? ms(body.generatedAt) : undefined}
      path={`/v4/public/settlements?range=${range}`}
      failure={body === undefined ? undefined : failure}
      now={now}
      controls={<Choice label="Settlements shown" options={RANGES} value={range} choose={choose} />}
    >
      {saved && <Saved reason={headers?.get("x-service-settlement-fallback-reason") ?? ""} />}
      {body === undefined && failure !== undefined && <Unavailable what="Settlements are" reason={failure.code} />}
      {body?.status === "unavailable" && <Unavailable what="Settlements are" reason={body.reason} />}
      {body?.status === "available" && <History history={body} newest={newest} />}
    </Panel>
  );
}

/** Saved history is shown as such: nothing newer could be read from the chain. */
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
        <Mint mint={{ state: "pending", amountBaseUnits }} economy={economy} />
      </p>
      <p class="note">A projection: neither settled work nor confirmed minting.</p>
    </div>
  );
}
