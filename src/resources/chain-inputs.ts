/** Inputs and timing of responses that are computed from the chain. */
import type { ChainState } from "../chain/chain-state.ts";
import { decimalText } from "../values/decimal.ts";
import type { Timing } from "./publication.ts";

/** If puts cost money, a response is rebuilt for the height alone at most this often (ms). */
export const ONCHAIN_HEIGHT_INTERVAL = 15_000;
export const HISTORY_HEIGHT_INTERVAL = 60_000;

const VALIDITY_STEP = 60_000;
const news = new WeakMap<ChainState, string>();

/** The views without the chain's height: one text per pass. */
export function chainNews(chain: ChainState): string {
  let text = news.get(chain);
  if (text === undefined) {
    const core = chain.core.status === "available" ? { ...chain.core.view, chain: undefined } : chain.core;
    text = JSON.stringify([core, chain.economy, chain.binding], decimalText);
    news.set(chain, text);
  }
  return text;
}

/** For a response that is rebuilt at most every `interval` ms while only the chain's height changes. */
export function heightTiming(interval: number): Timing {
  return { throttledInputs: ({ chain }) => chainHeight(chain), throttledInterval: interval };
}

/** The height, and in steps of a minute the end of the views' validity: it must be extended in time. */
function chainHeight(chain: ChainState): string {
  if (chain.core.status === "unavailable") return "";
  const { indexedThroughBlock, safeThroughBlock } = chain.core.view.chain;
  return `${indexedThroughBlock} ${safeThroughBlock} ${Math.floor(chain.validUntil / VALIDITY_STEP)}`;
}
