/** The inputs of the chain-backed publications, as texts: the changes of a pass, and its height alone. */
import type { ChainState } from "../chain/chain-state.ts";
import { decimalText } from "../values/decimal.ts";

/** A publisher that costs money per put rebuilds for the height alone at most so often, ms. */
export const ONCHAIN_HEIGHT_INTERVAL = 15_000;
export const HISTORY_HEIGHT_INTERVAL = 60_000;

const VALIDITY_STEP = 60_000;
const news = new WeakMap<ChainState, string>();

/** Everything a view says but how high the chain is; one text per pass, however often a cycle asks. */
export function chainNews(chain: ChainState): string {
  let text = news.get(chain);
  if (text === undefined) {
    const core = chain.core.status === "available" ? { ...chain.core.view, chain: undefined } : chain.core;
    text = JSON.stringify([core, chain.economy, chain.binding], decimalText);
    news.set(chain, text);
  }
  return text;
}

/** The height, and in steps of a minute how long the views are valid: that has to be extended in time. */
export function chainHeight(chain: ChainState): string {
  if (chain.core.status === "unavailable") return "";
  const { indexedThroughBlock, safeThroughBlock } = chain.core.view.chain;
  return `${indexedThroughBlock} ${safeThroughBlock} ${Math.floor(chain.validUntil / VALIDITY_STEP)}`;
}
