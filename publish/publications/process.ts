/** /v4/public/process: measurement, optimistic blocks, the Oracle's word and the settlement queue. */
import { PROCESS_KEY } from "../../src/http/keys.ts";
import { installationNo, readWatermarks } from "../../src/ledger/watermarks.ts";
import { buildProcess } from "../../src/resources/process/build.ts";
import { noProcessFacts, readProcessFacts } from "../../src/resources/process/facts.ts";
import type { Publication } from "../answers/publication.ts";
import type { Sources } from "../sources/sources.ts";

export const processPublication: Publication = {
  resource: "process",
  key: PROCESS_KEY,
  inputs(sources) {
    const { installationId, chain, genesisTimestamp } = sources;
    const found = ledgerOf(sources);
    const { module: _, ...watermarks } =
      found === undefined ? { module: 0 } : readWatermarks(found.ledger, found.installation);
    return JSON.stringify([installationId, watermarks, chain.safeCore ?? null, genesisTimestamp ?? null], text);
  },
  build(sources, at) {
    const { installationId, chain, genesisTimestamp } = sources;
    const found = ledgerOf(sources);
    const facts =
      found === undefined
        ? noProcessFacts(installationId, chain.safeCore)
        : readProcessFacts(found.ledger, found.installation, installationId, chain.safeCore, genesisTimestamp);
    return buildProcess(facts, at);
  },
};

function ledgerOf({ facts, installationId }: Sources) {
  const installation = facts === undefined ? undefined : installationNo(facts.ledger, installationId);
  return facts === undefined || installation === undefined ? undefined : { ledger: facts.ledger, installation };
}

function text(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
