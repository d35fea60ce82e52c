/** Shows the outcomes of the Oracle's and the Reporter's submissions in the range. */
import type { Statistics } from "../../../src/client/create-client.ts";
import { Figure, Unknown } from "../parts/figure.tsx";
import { Unavailable } from "../parts/panel.tsx";
import { grouped, percent, plural } from "../words/number.ts";
import { full, ms, span } from "../words/time.ts";

export function Reporter({ oracle }: { readonly oracle: Statistics["oracle"] }) {
  if (oracle.status === "unavailable") return <Unavailable what="Submissions are" reason={oracle.reason} />;
  const time = (value: number | null) => (value === null ? <Unknown /> : span(value));
  return (
    <>
      <dl class="figures">
        <Figure
          name="Submissions"
          note={`${plural(oracle.zeroBlockSubmissionCount, "one", "of them")} without a block`}
        >
          {grouped(oracle.submissionCount)}
        </Figure>
        <Figure name="Confirmed" note={percent(oracle.confirmationRateBps)}>
          {grouped(oracle.confirmedCount)}
        </Figure>
        <Figure name="Reverted" note={percent(oracle.revertRateBps)}>
          {grouped(oracle.revertedCount)}
        </Figure>
        <Figure name="Superseded">{grouped(oracle.supersededCount)}</Figure>
        <Figure name="Until sent" note={<>9 of 10 within {time(oracle.submitP90Ms)}</>}>
          {time(oracle.submitP50Ms)}
        </Figure>
        <Figure name="Until final" note={<>9 of 10 within {time(oracle.finalityP90Ms)}</>}>
          {time(oracle.finalityP50Ms)}
        </Figure>
      </dl>
      {!oracle.completeForWindow && (
        <p class="note">Counted from {full(ms(oracle.coverageStartsAt))} on, which is not the whole range.</p>
      )}
    </>
  );
}

export function Blocks({ blocks }: { readonly blocks: Statistics["blocks"] }) {
  if (blocks.status === "unavailable")
    return <Unavailable what="When blocks were completed is" reason={blocks.reason} />;
  const time = (value: number | null) => (value === null ? <Unknown /> : span(value));
  return (
    <dl class="figures">
      <Figure name="Blocks completed" note={`${grouped(blocks.completedAllTime)} ever`}>
        {grouped(blocks.completedInRange)}
      </Figure>
      <Figure name="Most in a day" note={`on ${blocks.mostInDayDate}`}>
        {grouped(blocks.mostInDay)}
      </Figure>
      <Figure name="A block takes" note={<>9 of 10 within {time(blocks.p90CompletionMs)}</>}>
        {time(blocks.medianCompletionMs)}
      </Figure>
      <Figure name="Days without a block">{grouped(blocks.zeroBlockDayCount)}</Figure>
    </dl>
  );
}
