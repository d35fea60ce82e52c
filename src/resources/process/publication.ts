/** /v4/public/process (docs/spec/api.md#process): measurement, optimistic blocks, the Oracle and the settlement queue. */

import { installationNo, readWatermarks } from "../../ledger/watermarks.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildProcess } from "./build.ts";
import { noProcessFacts, readProcessFacts } from "./facts.ts";
import { PROCESS_KEY } from "./route.ts";

export const processPublication: Publication = {
  resource: "process",
  key: PROCESS_KEY,
  inputs(snapshot) {
    const { installationId, chain, genesisTimestamp } = snapshot;
    const found = ledgerOf(snapshot);
    const { module: _, ...watermarks } =
      found === undefined ? { module: 0 } : readWatermarks(found.ledger, found.installation);
    return JSON.stringify([installationId, watermarks, chain.safeCore ?? null, genesisTimestamp ?? null], text);
  },
  build(snapshot, at) {
    const { installationId, chain, genesisTimestamp } = snapshot;
    const found = ledgerOf(snapshot);
    const facts =
      found === undefined
        ? noProcessFacts(installationId, chain.safeCore)
        : readProcessFacts(found.ledger, found.installation, installationId, chain.safeCore, genesisTimestamp);
    return buildProcess(facts, at);
  },
};

function ledgerOf({ ledger, installationId }: Snapshot) {
  const installation = ledger && installationNo(ledger, installationId);
  return ledger === undefined || installation === undefined ? undefined : { ledger, installation };
}

function text(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
