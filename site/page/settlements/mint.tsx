/** A batch's reward: confirmed, or pending and then a projection that never looks minted. */
import type { Settlements } from "../../../src/client/create-client.ts";
import type { Available, RecentSettlement } from "../data/bodies.ts";
import { Exact } from "../parts/figure.tsx";
import { amount, exactAmount } from "../words/number.ts";

export interface MintProps {
  readonly mint: RecentSettlement["mint"];
  readonly economy: Available<Settlements>["economy"];
}

export function Mint({ mint, economy: { symbol, decimals } }: MintProps) {
  const value = (
    <Exact
      short={`${amount(mint.amountBaseUnits, decimals)} ${symbol}`}
      exact={`${exactAmount(mint.amountBaseUnits, decimals)} ${symbol}`}
    />
  );
  if (mint.state === "confirmed") return <span class="minted">{value} minted</span>;
  return (
    <span class="projected" title="A projection with the baseline multiplier; not minted">
      ~ {value}, mint pending
    </span>
  );
}
