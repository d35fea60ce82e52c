import { expect, test } from "vitest";
import { SavedBodyRecall } from "../../../publish/answers/recall-saved.ts";
import { advanceChainViews } from "../../../src/projections/chain-views.ts";
import { settlementsPublications } from "../../../src/resources/settlements/publication.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { batchEvents, chainDb, projectionsDb, regularBatches, settledChain } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putAnswer } from "../../support/publish-answer.ts";

test("saved history that was lost with the state directory is read back from the store, once", async () => {
  const batches = regularBatches(3, 1, 2);
  const chain = settledChain(batches);
  const projections = projectionsDb();
  advanceChainViews(projections, { chain, chainDb: chainDb(batchEvents(batches)) });
  const sources: Snapshot = {
    installationId: "wheel-1",
    ledger: undefined,
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
  const read = { snapshot: <T>(use: (s: Snapshot) => T) => use(lost) };
  const recall = new SavedBodyRecall(counting);
  await recall.ask(settlementsPublications, read);
  await recall.ask(settlementsPublications, read);
  expect(reads).toHaveLength(settlementsPublications.length);
  for (const { key, build } of settlementsPublications) {
    expect(build(lost, AT + 1), key).toEqual(build(sources, AT).successor);
  }
});
