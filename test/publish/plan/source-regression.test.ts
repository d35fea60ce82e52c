/** The single check that rejects sources after what was published (docs/spec/publishing.md#source-version). */
import { describe, expect, test } from "vitest";
import {
  type CurrentSources,
  currentSources,
  shortHash,
  sourceRegression,
  versionFor,
} from "../../../publish/plan/source-version.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import type { SourceVersion } from "../../../src/object-store/stored-response.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { ingest } from "../../ledger/ingest.ts";
import { emptyLedger, type Json, module, receipt } from "../../ledger/samples.ts";

const ID = "wheel-1";
const OF = shortHash(ID);

const receipts = (through: number, changes: Json = {}) =>
  Array.from({ length: through }, (_, index) => receipt(index + 1, changes));

const NO_CHAIN = { core: { status: "unavailable" } } as unknown as Snapshot["chain"];

function sourcesOf(facts: readonly Json[]): CurrentSources {
  const ledger = emptyLedger();
  ingest(ledger, facts);
  return currentSources({ ledger, chain: NO_CHAIN }, { id: ID, history: "1" }, 1);
}

const publishedFrom = (facts: readonly Json[]) => versionFor({ kinds: FACT_KINDS }, sourcesOf(facts));

describe("a ledger of ten receipts and a module", () => {
  const now = sourcesOf([...receipts(10), module()]);
  const own = versionFor({ kinds: FACT_KINDS }, now);
  const earlier = publishedFrom([...receipts(7), module()]);
  const later = publishedFrom([...receipts(12), module()]);
  const fork = publishedFrom([...receipts(8, { softwareVersion: "2.0.0" }), module()]);
  const otherModule = publishedFrom([...receipts(3), module({ state: "degraded" })]);
  const cases: readonly [what: string, published: readonly SourceVersion[], code: string | undefined][] = [
    ["nothing was published", [], undefined],
    ["itself", [own], undefined],
    ["its own start", [earlier], undefined],
    ["its start and itself", [earlier, own], undefined],
    ["more receipts", [later], "ledger_behind"],
    ["more receipts under one key of several", [earlier, later, own], "ledger_behind"],
    ["other receipts", [fork], "ledger_forked"],
    ["other receipts, and more of its own", [fork, later], "ledger_forked"],
    ["another module", [otherModule], "ledger_forked"],
    ["another module, and more receipts", [otherModule, later], "ledger_forked"],
    ["a newest tile that ends at another receipt", [{ at: 0, position: 9, telemetryId: "other" }], "ledger_forked"],
    ["a newest tile beyond its end", [{ at: 0, position: 11 }], "ledger_behind"],
    ["another installation's receipts", [{ ...fork, of: shortHash("wheel-2") }], undefined],
    ["an abandoned history", [{ ...fork, history: "2" }], undefined],
    ["sums that its saved sums do not cover", [{ at: 0, of: OF, facts: [[5, "AAAAAAAAAAA"]] }], "ledger_forked"],
  ];
  test.each(cases)("published %s", (_what, published, code) => {
    const { refused, blocks } = sourceRegression(published, now, () => undefined);
    expect([refused.ledger?.code, refused.chain, blocks]).toEqual([code, undefined, []]);
  });

  test("no ledger is behind any published fact", () => {
    const none = currentSources({ ledger: undefined, chain: NO_CHAIN }, { id: ID, history: "1" }, 1);
    const refusedAfter = (version: SourceVersion) => sourceRegression([version], none, () => undefined).refused;
    expect(refusedAfter(earlier).ledger?.code).toBe("ledger_behind");
    expect(refusedAfter({ at: 5, of: OF })).toEqual({ ledger: undefined, chain: undefined });
  });
});

describe("a chain that is safe through block 40", () => {
  const now = {
    installationId: ID,
    ledger: undefined,
    at: 1,
    subject: { of: OF },
    facts: undefined,
    newest: {},
    chain: { chain: "c", safeBlock: "40", safeHash: "0x40" },
  };
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
    ["at an earlier block, while no node responds", [at(36)], { 36: null }, "cannot be asked for block 36"],
    ["at two blocks, and a fork replaced the newer one", [at(30), at(38)], { 30: "0x30", 38: "0xf8" }, "block at 38"],
    ["before blocks had hashes", [{ at: 0, of: OF, chain: "c", safeBlock: "36" }], {}, undefined],
    ["no chain", [{ at: 0, of: OF }], {}, undefined],
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
    const { refused, blocks: asked } = sourceRegression(published, now, (number) => blocks[number]);
    expect([refused.ledger, refused.chain?.code, asked]).toEqual([undefined, message && "chain_behind", []]);
    if (message !== undefined) expect(refused.chain?.message).toContain(message);
  });

  test("the hash of an earlier published block is requested first", () => {
    const { refused, blocks } = sourceRegression([at(36), at(40)], now, () => undefined);
    expect([refused.chain, blocks]).toEqual([undefined, ["36"]]);
  });

  test("a chain without a view takes nothing back", () => {
    const { refused, blocks } = sourceRegression([at(40)], { ...now, chain: {} }, () => undefined);
    expect([refused.chain, blocks]).toEqual([undefined, []]);
  });
});
