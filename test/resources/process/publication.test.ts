import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { processPublication } from "../../../src/resources/process/publication.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { raiseWatermark } from "../../support/raise-watermark.ts";
import { emptyLedger, ledgerOf } from "./history.ts";
import { AT, build, buildWithoutLedger, CORE, GENESIS, READY } from "./scenarios.ts";

function snapshotOf(more: Partial<Snapshot> = {}): Snapshot & { readonly ledger: Database | undefined } {
  const unavailable = { status: "unavailable", reason: "indexer_unavailable" } as const;
  const chain = { core: unavailable, economy: unavailable, safeCore: CORE } as Snapshot["chain"];
  const ledger = ledgerOf(READY.facts);
  return { installationId: "wheel-1", ledger, chain, genesisTimestamp: GENESIS, ...more } as Snapshot & {
    readonly ledger: Database;
  };
}

test("process uses the ledger and the stored safe Core even if the chain's views are unavailable", () => {
  expect(processPublication.build(snapshotOf(), AT)).toEqual(build(READY));
  expect(processPublication.build(snapshotOf({ ledger: undefined }), AT)).toEqual(buildWithoutLedger(CORE));
});

test("an installation without a record has no measurement source", () => {
  const ledger = emptyLedger();
  ledger.prepare("DELETE FROM installation").run();
  expect(processPublication.build(snapshotOf({ ledger }), AT)).toEqual(buildWithoutLedger(CORE));
});

test("its inputs change with every kind of fact except modules, with the safe Core and with genesis", () => {
  const sources = snapshotOf();
  const seen = [processPublication.inputs(sources)];
  for (const kind of FACT_KINDS) {
    raiseWatermark(sources.ledger as Database, 1, kind, 1);
    seen.push(processPublication.inputs(sources));
  }
  seen.push(processPublication.inputs({ ...sources, genesisTimestamp: undefined }));
  seen.push(processPublication.inputs({ ...sources, chain: { ...sources.chain, safeCore: undefined } }));
  expect(new Set(seen).size).toBe(seen.length - 1);
});
