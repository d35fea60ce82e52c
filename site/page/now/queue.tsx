/** Shows the settlement queue as sentences, between the Oracle's last round and the last settlement. */
import type { ComponentChildren } from "preact";
import type { Process, Settlements } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { useNow } from "../data/use-view.ts";
import { Unavailable, useStopped } from "../parts/panel.tsx";
import { Mint } from "../settlements/batches.tsx";
import { grouped, plural } from "../words/number.ts";
import { queueWords } from "../words/queue.ts";
import { reasonWords } from "../words/reasons.ts";
import { moment, ms, span } from "../words/time.ts";

export interface QueueProps {
  readonly process: Process | undefined;
  readonly settlements: Settlements | undefined;
  readonly now: number;
}

export function Queue({ process, settlements, now }: QueueProps) {
  return (
    <div class="flow">
      <Step name="Oracle" meaning="The Oracle checks each round, which is ten minutes of measurements, and accepts it.">
        {process === undefined ? "\u00a0" : <OracleWords oracle={process.oracle} />}
      </Step>
      <Step name="Queue" meaning="The Reporter sends accepted rounds to the chain, several in a batch.">
        {process === undefined ? "\u00a0" : <QueueState queue={process.settlementQueue} />}
      </Step>
      <Step name="Last settlement" meaning={<Reward settlements={settlements} />}>
        <LastSettlement settlements={settlements} now={now} />
      </Step>
    </div>
  );
}

interface StepProps {
  readonly name: string;
  /** Explains the name to a reader who sees it for the first time. */
  readonly meaning: ComponentChildren;
  readonly children: ComponentChildren;
}

function Step({ name, meaning, children }: StepProps) {
  return (
    <section class="step">
      <h3>{name}</h3>
      <p class="note">{meaning}</p>
      {children}
    </section>
  );
}

/** Explains a settlement. The token has a name only while the chain can be read. */
function Reward({ settlements }: Pick<QueueProps, "settlements">) {
  const token =
    settlements?.status === "available" ? `${settlements.economy.symbol}, the reward token` : "reward tokens";
  return <>The chain counts the work of a batch. Each block that it completes earns {token}.</>;
}

function QueueState({ queue }: { readonly queue: Process["settlementQueue"] }) {
  const stopped = useStopped();
  if (queue.status === "unavailable") return <Unavailable what="The queue is" reason={queue.reason} />;
  const { heading, sentence } = queueWords(queue, stopped);
  return (
    <>
      <p>
        <strong class={stopped === undefined ? `queue-${queue.state}` : "queue-unknown"}>{heading}.</strong> {sentence}
      </p>
      {queue.incidentOpen && (
        <p class="late">An incident {stopped === undefined ? "is" : "was"} open at the Reporter.</p>
      )}
    </>
  );
}

/** Redraws each second, because it shows an age. */
function OracleWords({ oracle }: Pick<Process, "oracle">) {
  return <p>{oracleSentence(oracle, useNow(), useStopped())}</p>;
}

function oracleSentence(oracle: Process["oracle"], now: number, stopped: string | undefined): string {
  const { state, reason, latestAcceptedAt, latestClosure } = oracle;
  const accepted =
    latestAcceptedAt === null || latestClosure === null
      ? ""
      : `It accepted rounds through ${latestClosure.lastRound} at ${moment(ms(latestAcceptedAt), now)}, ` +
        `${span(now - ms(latestAcceptedAt))} ago.`;
  if (state === "accepted") return accepted;
  if (state === "stale") return stopped === undefined ? `Late. ${accepted}` : accepted;
  if (state === "blocked")
    return `${stopped === undefined ? "Blocked" : `Blocked at ${stopped}`}: ${reason}. ${accepted}`;
  return reasonWords(reason ?? "", stopped).why;
}

function LastSettlement({ settlements, now }: Pick<QueueProps, "settlements" | "now">) {
  if (settlements === undefined) return <p>{"\u00a0"}</p>;
  if (settlements.status === "unavailable") return <Unavailable what="Settlements are" reason={settlements.reason} />;
  const [last] = settlements.recentSettlements;
  if (last === undefined) return <p>Nothing has been settled yet.</p>;
  return (
    <>
      <p>
        {moment(ms(last.blockTimestamp), now)}: {plural(last.workAdded, "unit")} of work through round{" "}
        {last.settledThroughRound}, {blocksOf(last)}.
      </p>
      <p>
        Reward: <Mint mint={last.mint} economy={(settlements as Available<Settlements>).economy} />
      </p>
    </>
  );
}

function blocksOf({
  completedBlockCount: count,
  firstCompletedBlock: first,
  lastCompletedBlock: last,
}: Available<Settlements>["recentSettlements"][number]): string {
  if (first === null || last === null) return "no block completed";
  return first === last
    ? `block ${grouped(last)} completed`
    : `blocks ${grouped(first)} to ${grouped(last)} completed (${grouped(count)})`;
}
