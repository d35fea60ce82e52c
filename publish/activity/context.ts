/** What the feed's texts are made with, as long as both views of the chain are available. */
import type { ChainState, CoreView, EconomyView } from "../../src/chain/chain-state.ts";
import type { FeedContext } from "../../src/resources/activity/event.ts";

export interface FeedViews extends FeedContext {
  readonly core: CoreView;
  readonly economy: EconomyView;
  readonly validUntil: number;
}

export function feedContext(installationId: string, { core, economy, validUntil }: ChainState): FeedViews | undefined {
  if (core.status === "unavailable" || economy.status === "unavailable") return undefined;
  const { target, chainId } = core.view.chain;
  const { releaseId } = economy.view;
  return { installationId, target, chainId, releaseId, core: core.view, economy: economy.view, validUntil };
}
