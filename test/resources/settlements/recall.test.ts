import { expect, test } from "vitest";
import { recallStanding } from "../../../publish/answers/recall.ts";
import { settlementsPublications } from "../../../publish/publications/settlements.ts";
import type { Sources } from "../../../publish/sources/sources.ts";
import { advanceChainViews } from "../../../src/projections/chain-views.ts";
import { batchEvents, chainDb, projectionsDb, regularBatches, settledChain } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putAnswer } from "../../support/publish-answer.ts";

test("saved history that was lost with the state directory is read back from the store, once", async () => {
  const batches = regularBatches(3, 1, 2);
  const chain = settledChain(batches);
  const projections = projectionsDb();
  advanceChainViews(projections, { chain, chainDb: chainDb(batchEvents(batches)) });
  const sources: Sources = {
    installationId: "wheel-1",
    facts: undefined,
    projections,
    chain,
    chainDb: undefined,
    tilePrefix: "1-1",
    genesisTimestamp: undefined,
  };
  const store = new MemoryStore();
  for (const { key, build } of settlementsPublications) await putAnswer(store, key, build(sources, AT));

  const view = { status: "unavailable", reason: "indexer_unavailable" } as const;
  const lost = { ...sources, projections: projectionsDb(), chain: { ...chain, core: view, economy: view } };
  const reads: string[] = [];
  const counting = Object.assign(Object.create(store) as MemoryStore, {
    get: (key: string) => {
      reads.push(key);
      return store.get(key);
    },
  });
  const cycle = {
    publications: settlementsPublications,
    store: counting,
    read: <T>(use: (s: Sources) => T) => use(lost),
  };
  await recallStanding(cycle);
  await recallStanding(cycle);
  expect(reads).toHaveLength(settlementsPublications.length);
  for (const { key, build } of settlementsPublications) {
    expect(build(lost, AT + 1), key).toEqual(build(sources, AT).successor);
  }
});
