/** Publishes /v4/public/process (docs/spec/api.md#process). */

import { FACT_KINDS } from "../../ledger/schema.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { decimalText } from "../../values/decimal.ts";
import { factsInput, refuseContradictedGenesis } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildProcess } from "./build.ts";
import { noProcessFacts, readProcessFacts } from "./facts.ts";
import { PROCESS_KEY } from "./route.ts";

const KINDS = FACT_KINDS.filter((kind) => kind !== "module");

export const processPublication: Publication = {
  resource: "process",
  key: PROCESS_KEY,
  sources: { kinds: KINDS, usesChain: true },
  keepsCore: true,
  inputs(snapshot) {
    const { installationId, chain, genesisTimestamp } = snapshot;
    const facts = factsInput(snapshot, installationId, KINDS);
    return JSON.stringify([installationId, facts, chain.safeCore ?? null, genesisTimestamp ?? null], decimalText);
  },
  build(snapshot, at) {
    refuseContradictedGenesis(snapshot);
    const { installationId, chain, genesisTimestamp } = snapshot;
    const found = ledgerOf(snapshot);
    const facts =
      found === undefined
        ? noProcessFacts(installationId, chain.safeCore)
        : readProcessFacts(
            found.ledger,
            { rowId: found.installation, id: installationId },
            { core: chain.safeCore, genesisTimestamp },
          );
    return buildProcess(facts, at);
  },
};

function ledgerOf({ ledger, installationId }: Snapshot) {
  const installation = ledger && installationRowId(ledger, installationId);
  return ledger === undefined || installation === undefined ? undefined : { ledger, installation };
}
