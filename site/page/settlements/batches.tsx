/** Shows up to twelve newest batches of the range with their rewards, and the number of older ones. */
import type { Settlements } from "../../../src/client/create-client.ts";
import type { Available, RecentSettlement } from "../data/bodies.ts";
import { Facts } from "../parts/facts.tsx";
import { Exact } from "../parts/figure.tsx";
import { OnChain } from "../parts/on-chain.tsx";
import { amount, exactAmount, grouped, plural } from "../words/number.ts";
import { clock, full, ms, shortDay } from "../words/time.ts";

export interface MintProps {
  readonly mint: RecentSettlement["mint"];
  readonly economy: Available<Settlements>["economy"];
}

/** Shows a reward; a pending one is marked as a projection. */
export function Mint({ mint, economy: { symbol, decimals } }: MintProps) {
  const value =
    mint.amountBaseUnits === "0" ? undefined : (
      <Exact
        short={`${amount(mint.amountBaseUnits, decimals)} ${symbol}`}
        exact={`${exactAmount(mint.amountBaseUnits, decimals)} ${symbol}`}
      />
    );
  if (mint.state === "confirmed")
    return <span class="minted">{value === undefined ? "none" : <>{value} minted</>}</span>;
  return (
    <span class="projected" title="A projection with the baseline multiplier; not minted">
      ~ {value === undefined ? "none" : <>{value}, mint pending</>}
    </span>
  );
}

export function Batches({ history }: { readonly history: Available<Settlements> }) {
  const { recentSettlements: batches, economy, summary } = history;
  if (batches.length === 0) return <p>Nothing was settled in this range.</p>;
  return (
    <div class="part">
      <h3>Recent batches</h3>
      <Facts
        caption="Recent batches, newest first"
        columns={["When (UTC)", "Reward", "Work", "Blocks", "Rounds", "Transaction"]}
        rows={batches.map((batch) => ({
          key: `${batch.ethereumBlockNumber}-${batch.logIndex}`,
          cells: [
            <time dateTime={batch.blockTimestamp} title={full(ms(batch.blockTimestamp))}>
              {shortDay(ms(batch.blockTimestamp))}, {clock(ms(batch.blockTimestamp))}
            </time>,
            <Mint mint={batch.mint} economy={economy} />,
            grouped(batch.workAdded),
            blocksOf(batch),
            roundsOf(batch),
            <OnChain of={batch.transactionHash} />,
          ],
        }))}
      />
      {summary.archivedSettlementCount !== "0" && (
        <p class="note">
          {plural(summary.archivedSettlementCount, "older batch", "older batches")} of this range{" "}
          {summary.archivedSettlementCount === "1" ? "is" : "are"} not listed.
        </p>
      )}
    </div>
  );
}

function roundsOf({ previousSettledThroughRound: previous, settledThroughRound: last }: RecentSettlement): string {
  const first = String(BigInt(previous) + 1n);
  return first === last ? last : `${first}–${last}`;
}

function blocksOf({ firstCompletedBlock: first, lastCompletedBlock: last }: RecentSettlement): string {
  if (first === null || last === null) return "none";
  return first === last ? grouped(last) : `${grouped(first)}–${grouped(last)}`;
}
