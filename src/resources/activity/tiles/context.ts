/** The inputs of the activity's texts, as long as both views of the chain are available. */
import type { ChainState, CoreView, EconomyView } from "../../../chain/chain-state.ts";
import type { ActivityContext } from "../event.ts";

export interface ActivityViews extends ActivityContext {
  readonly core: CoreView;
  readonly economy: EconomyView;
  readonly validUntil: number;
}

export function activityContext(
  installationId: string,
  { core, economy, validUntil }: ChainState,
): ActivityViews | undefined {
  if (core.status === "unavailable" || economy.status === "unavailable") return undefined;
  const { target, chainId } = core.view.chain;
  const { releaseId } = economy.view;
  return { installationId, target, chainId, releaseId, core: core.view, economy: economy.view, validUntil };
}
