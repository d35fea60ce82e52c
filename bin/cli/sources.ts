/** Opens the configured sources for `publish` and `render`. */

import { LedgerSource } from "../../publish/sources/ledger-source.ts";
import { copiedProjections, ownProjections } from "../../publish/sources/projections-source.ts";
import { SourceReader } from "../../publish/sources/source-reader.ts";
import type { Chain } from "../../src/chain/chain.ts";
import { openChainCopy, openChainFor } from "./chain/chain.ts";
import type { ChainUse } from "./chain/configured-chain.ts";
import { required } from "./settings/load-settings.ts";
import type { Settings } from "./settings/settings.ts";

export interface SourceUse extends ChainUse {
  /** `copy` does not change the state directory. */
  readonly state: "own" | "copy";
  /** True to read all new facts before the first response, instead of one step per cycle. */
  readonly whole: boolean;
}

export interface OpenedSources {
  readonly reader: SourceReader;
  readonly chain: Chain;
}

export async function openSources(settings: Settings, use: SourceUse): Promise<OpenedSources> {
  const installationId = required(settings, "installationId");
  const own = use.state === "own";
  const ledger = settings.ledger === "none" ? undefined : new LedgerSource(settings.ledger);
  const projections = own ? ownProjections(settings.state, use) : copiedProjections(settings.state);
  const chain = await (own ? openChainFor(settings, use) : openChainCopy(settings, use));
  const { genesisTimestamp } = settings;
  return { chain, reader: new SourceReader({ installationId, ledger, projections, chain, genesisTimestamp }) };
}

/** Returns the wall clock, or a clock that starts at `at` when it is created. */
export function instantClock(at: number | undefined): () => number {
  if (at === undefined) return () => Date.now();
  const started = performance.now();
  return () => at + Math.floor(performance.now() - started);
}
