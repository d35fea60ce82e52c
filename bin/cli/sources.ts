/** Opens what the settings name: the sources that `publish` and `render` read. */

import { noChain } from "../../publish/chain-source.ts";
import { LedgerSource } from "../../publish/ledger-source.ts";
import type { ProjectionsSource } from "../../publish/projections-source.ts";
import { SourceReader } from "../../publish/source-reader.ts";
import { required, type Settings } from "./settings.ts";

export function openSources(settings: Settings, projections: ProjectionsSource): SourceReader {
  return new SourceReader({
    installationId: required(settings, "installationId"),
    ledger: settings.ledger === "none" ? undefined : new LedgerSource(settings.ledger),
    projections,
    chain: noChain,
    genesisTimestamp: settings.genesisTimestamp,
  });
}
