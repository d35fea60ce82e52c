/** The one check: which sources are refused after what was published (docs/spec/publishing.md#asof). */
import { describe, expect, test } from "vitest";
import { currentSourceVersion, shortHash, sourceRegression } from "../../../publish/plan/source-version.ts";
import { ingest } from "../../../src/ledger/ingest.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import type { SourceVersion } from "../../../src/object-store/stored-response.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { emptyLedger, type Json, module, receipt } from "../../ledger/samples.ts";

const ID = "wheel-1";
const OF = shortHash(ID);

const receipts = (through: number, changes: Json = {}) =>
  Array.from({ length: through }, (_, index) => receipt(index + 1, changes));

function sourcesOf(facts: readonly Json[]) {
  const ledger = emptyLedger();
  ingest(ledger, facts);
  const snapshot = { ledger, installationId: ID } as unknown as Snapshot;
  const kinds = FACT_KINDS;
  return { snapshot, version: currentSourceVersion(snapshot, { installationId: ID, kinds }, 1, "1") };
}

describe("a ledger of ten receipts and a module", () => {
  const { snapshot, version: own } = sourcesOf([...receipts(10), module()]);
  const { version: earlier } = sourcesOf([...receipts(7), module()]);
  const { version: later } = sourcesOf([...receipts(12), module()]);
  const { version: fork } = sourcesOf([...receipts(8, { softwareVersion: "2.0.0" }), module()]);
  const { version: otherModule } = sourcesOf([...receipts(3), module({ state: "degraded" })]);
  const counts = (version: SourceVersion): SourceVersion => ({
    at: 0,
    of: OF,
    facts: (version.facts ?? []).map((part) => part && [part[0]]),
  });

  const cases: readonly [what: string, published: readonly SourceVersion[], code: string | undefined][] = [
    ["nothing was published", [], undefined],
    ["itself", [own], undefined],
    ["its own beginning", [earlier], undefined],
    ["its beginning and itself", [earlier, own], undefined],
    ["more receipts", [later], "ledger_behind"],
    ["more receipts under one key of several", [earlier, later, own], "ledger_behind"],
    ["other receipts", [fork], "ledger_forked"],
    ["other receipts, and more of its own", [fork, later], "ledger_forked"],
    ["another module", [otherModule], "ledger_forked"],
    ["another module, and more receipts", [otherModule, later], "ledger_forked"],
    ["a newest tile that ends at another receipt", [{ at: 0, position: 9, telemetryId: "other" }], "ledger_forked"],
    ["a newest tile beyond its end", [{ at: 0, position: 11 }], "ledger_behind"],
    ["counts of an earlier program version", [counts(earlier)], undefined],
    ["higher counts of an earlier program version", [counts(later)], "ledger_behind"],
    ["another installation's receipts", [{ ...fork, of: shortHash("wheel-2") }], undefined],
    ["an abandoned history", [{ ...fork, history: "2" }], undefined],
    ["sums that its saved sums do not reach", [{ at: 0, of: OF, facts: [[5, "AAAAAAAAAAA"]] }], "ledger_forked"],
  ];
  test.each(cases)("published %s", (_what, published, code) => {
    const refused = sourceRegression(published, {
      snapshot,
      installationId: ID,
      version: own,
      blockAt: () => undefined,
    });
    expect([refused.ledger?.code, refused.chain]).toEqual([code, undefined]);
  });

  test("no ledger is behind any published fact", () => {
    const current = { snapshot: { ledger: undefined }, installationId: ID, version: own, blockAt: () => undefined };
    expect(sourceRegression([earlier], current).ledger?.code).toBe("ledger_behind");
    expect(sourceRegression([{ at: 5, of: OF }], current)).toEqual({ ledger: undefined, chain: undefined });
  });
});

describe("a chain that is safe through block 40", () => {
  const now: SourceVersion = { at: 1, of: OF, chain: "c", safeBlock: "40", safeHash: "0x40" };
  const at = (block: number, more: Partial<SourceVersion> = {}): SourceVersion => ({
    at: 0,
    of: OF,
    chain: "c",
    safeBlock: String(block),
    safeHash: `0x${block}`,
    ...more,
  });
  const cases: readonly [
    what: string,
    published: readonly SourceVersion[],
    blocks: Readonly<Record<string, string | null>>,
    message: string | undefined,
  ][] = [
    ["at the same block", [at(40)], {}, undefined],
    ["at another block of that number", [at(40, { safeHash: "0xf0" })], {}, "has another block at 40"],
    ["at a later block", [at(41)], {}, "block 41 was published"],
    ["at an earlier block that it still has", [at(36)], { 36: "0x36" }, undefined],
    ["at an earlier block that a fork replaced", [at(36)], { 36: "0xf6" }, "has another block at 36"],
    ["at an earlier block, while every node is silent", [at(36)], { 36: null }, "cannot be asked for block 36"],
    ["at two blocks, and a fork replaced the newer one", [at(30), at(38)], { 30: "0x30", 38: "0xf8" }, "block at 38"],
    ["before blocks had hashes", [{ at: 0, of: OF, chain: "c", safeBlock: "36" }], {}, undefined],
    ["nothing of a chain", [{ at: 0, of: OF }], {}, undefined],
    ["from another chain", [at(50, { chain: "d" })], {}, undefined],
    ["in an abandoned history", [at(50, { history: "2" })], {}, undefined],
    [
      "of another installation, from the same chain",
      [at(50, { of: shortHash("wheel-2") })],
      {},
      "block 50 was published",
    ],
  ];
  test.each(cases)("published %s", (_what, published, blocks, message) => {
    const { ledger, chain } = sourceRegression(published, {
      snapshot: { ledger: undefined },
      installationId: ID,
      version: now,
      blockAt: (number) => blocks[number],
    });
    expect([ledger, chain?.code]).toEqual([undefined, message && "chain_behind"]);
    if (message !== undefined) expect(chain?.message).toContain(message);
  });

  test("a chain without a view takes nothing back", () => {
    const current = {
      snapshot: { ledger: undefined },
      installationId: ID,
      version: { at: 1, of: OF },
      blockAt: () => undefined,
    };
    expect(sourceRegression([at(40)], current).chain).toBeUndefined();
  });
});
