import { expect, test } from "vitest";
import type { ChainState, ChainUnavailable } from "../../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { activityPublications } from "../../../src/resources/activity/publication.ts";
import type { Publication } from "../../../src/resources/publication.ts";
import { settlementsPublications } from "../../../src/resources/settlements/publication.ts";
import { legacySettlementsPublications } from "../../../src/resources/settlements-legacy/publication.ts";
import type { WritableSnapshot } from "../../../src/resources/snapshot.ts";
import { batchEvents, chainDb, projectionsDb, regularBatches, settledChain } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";

const BATCHES = regularBatches(5, 1, 3);
const ALL = [...settlementsPublications, ...legacySettlementsPublications];

function live(): WritableSnapshot {
  const chain = settledChain(BATCHES);
  const projections = projectionsDb();
  const db = chainDb(batchEvents(BATCHES));
  advanceChainViews(projections, { chain, chainDb: db });
  return {
    installationId: "wheel-1",
    ledger: undefined,
    projections,
    chain,
    chainDb: db,
    genesisTimestamp: undefined,
  };
}

/** The chain cannot be read, and its file is gone. */
function silent(sources: WritableSnapshot, reason: ChainUnavailable, publishedHistory?: string) {
  const view = { status: "unavailable", reason } as const;
  const chain = { ...sources.chain, core: view, economy: view };
  return { ...sources, chain, chainDb: undefined, publishedHistory };
}

test("settlements and activity are not_yet_safe below the economy's first block, even if a check of the Core fails", () => {
  const sources = live();
  const chain: ChainState = {
    ...sources.chain,
    core: { status: "unavailable", reason: "indexer_mismatch" },
    economy: { status: "unavailable", reason: "not_yet_safe" },
  };
  const reasonOf = (publication: Publication) => {
    const { body } = publication.build({ ...sources, chain }, AT);
    return [publication.key, (JSON.parse(body) as { reason?: string }).reason];
  };
  const heads = activityPublications.filter(({ key }) => !key.endsWith("/unavailable") && !key.includes("measurement"));
  for (const publication of [...settlementsPublications, ...heads]) {
    expect(reasonOf(publication)).toEqual([publication.key, "not_yet_safe"]);
  }
});

test("history of another release, which v3 ignores, and of another installation is not served", () => {
  const sources = live();
  const elsewhere = silent(sources, "indexer_unavailable");
  const { binding } = sources.chain;
  for (const { resource, build } of ALL) {
    const publishedHistory = build(sources, AT).body;
    const other = {
      ...elsewhere,
      publishedHistory,
      chain: { ...elsewhere.chain, binding: binding && { ...binding, releaseId: "release-2" } },
    };
    const isServed = resource === "settlements-legacy";
    expect(build(other, AT).headers["x-service-settlement-source"]).toBe(isServed ? "durable-cache" : "unavailable");
    const others = { ...elsewhere, publishedHistory, installationId: "wheel-2" };
    expect(build(others, AT).headers["x-service-settlement-source"]).toBe("unavailable");
  }
});

test("a published response that breaks its schema is not served", () => {
  const sources = live();
  for (const { build } of ALL) {
    const broken = build(sources, AT).body.replace('"settlementCount":"', '"settlementCount":"9');
    const response = build(silent(sources, "indexer_unavailable", broken), AT);
    expect(response.headers["x-service-settlement-source"]).toBe("unavailable");
  }
});
