/** The checks that reject sources after what was published (docs/spec/publishing.md#source-version). */
import { describe, expect, test } from "vitest";
import { Known } from "../../../publish/known.ts";
import { chainRegression, shortHash } from "../../../publish/plan/check.ts";
import { isOfLog, ledgerRegression, logState } from "../../../publish/plan/log-state.ts";
import { checkpointKey, PRIVATE_LOGS, PUBLIC_LOGS } from "../../../src/http/keys.ts";
import { logPoint } from "../../../src/ledger/log.ts";
import type { SourceVersion } from "../../../src/object-store/stored-response.ts";
import { ingest } from "../../ledger/ingest.ts";
import { emptyLedger, type Json, module, receipt } from "../../ledger/samples.ts";

const OF = shortHash("wheel-1");

const receipts = (through: number, changes: Json = {}) =>
  Array.from({ length: through }, (_, index) => receipt(index + 1, changes));

function ledgerOf(...facts: readonly Json[]) {
  const ledger = emptyLedger();
  ingest(ledger, facts);
  return ledger;
}

test.each([
  [12, 300],
  [300, 12],
])("of a public checkpoint of %i entries and a private one of %i the longer one counts", (ofPublic, ofPrivate) => {
  const known = Known.inMemory();
  rememberCheckpoint(known, checkpointKey(PUBLIC_LOGS, 1), ofPublic);
  rememberCheckpoint(known, checkpointKey(PRIVATE_LOGS, 1), ofPrivate);
  expect(logState(1, undefined, known, []).published).toEqual({ size: 300, root: "root 300" });
});

test("a checkpoint that was replaced by an older one still counts, if no response says more", () => {
  const known = Known.inMemory();
  const key = checkpointKey(PRIVATE_LOGS, 1);
  rememberCheckpoint(known, key, 12);
  known.objects.rememberFaulty(key, "older");
  expect(logState(1, undefined, known, [{ at: 0, log: 1, size: 9, root: "root 9" }]).published?.size).toBe(12);
  expect(logState(1, undefined, known, [{ at: 0, log: 1, size: 13, root: "root 13" }]).published?.size).toBe(13);
});

function rememberCheckpoint({ objects }: Known, key: string, size: number): void {
  const sourceVersion = { at: 0, log: 1, size, root: `root ${size}` };
  const rest = { states: [], status: 200, bytes: 1, etag: null, putAt: 0 };
  objects.remember({ key, condition: "stored", tag: "t", sourceVersion, ...rest });
}

describe("a ledger of ten receipts and a module", () => {
  const ledger = ledgerOf(...receipts(10), module());
  const cases: readonly [what: string, published: readonly Json[], code: string | undefined][] = [
    ["itself", [...receipts(10), module()], undefined],
    ["its own start", receipts(7), undefined],
    ["no facts", [], undefined],
    ["more facts", [...receipts(10), module(), receipt(11)], "ledger_behind"],
    ["other facts and more of them", [...receipts(12, { softwareVersion: "2.0.0" })], "ledger_behind"],
    ["other receipts", receipts(8, { softwareVersion: "2.0.0" }), "ledger_forked"],
    ["another module", [...receipts(10), module({ state: "degraded" })], "ledger_forked"],
    ["the same facts in another order", [module(), ...receipts(10)], "ledger_forked"],
  ];
  test.each(cases)("published %s", (_what, facts, code) => {
    const published = logPoint(ledgerOf(...facts));
    expect(ledgerRegression(ledger, { number: 1, published })?.code).toBe(code);
    const version = { at: 0, log: 1, ...published };
    expect(isOfLog(version, 1, ledger)).toBe(code === undefined);
    expect(isOfLog(version, 2, ledger)).toBe(false);
  });

  test("no ledger is behind any published fact", () => {
    const published = logPoint(ledger);
    expect(ledgerRegression(undefined, { number: 1, published })?.code).toBe("ledger_behind");
    expect(ledgerRegression(undefined, { number: 1, published: undefined })).toBeUndefined();
  });
});

describe("a chain that is safe through block 40", () => {
  const now = {
    built: { at: 1, program: "0.1.0" },
    subject: { of: OF, log: 1 },
    facts: {},
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
    ["in an abandoned log", [at(50, { log: 2 })], {}, undefined],
    [
      "of another installation, from the same chain",
      [at(50, { of: shortHash("wheel-2") })],
      {},
      "block 50 was published",
    ],
  ];
  test.each(cases)("published %s", (_what, published, blocks, message) => {
    const { failure, blocks: asked } = chainRegression(published, now, (number) => blocks[number]);
    expect([failure?.code, asked]).toEqual([message && "chain_behind", []]);
    if (message !== undefined) expect(failure?.message).toContain(message);
  });

  test("the hash of an earlier published block is requested first", () => {
    const { failure, blocks } = chainRegression([at(36), at(40)], now, () => undefined);
    expect([failure, blocks]).toEqual([undefined, ["36"]]);
  });

  test("a chain without a view takes nothing back", () => {
    const { failure, blocks } = chainRegression([at(40)], { ...now, chain: {} }, () => undefined);
    expect([failure, blocks]).toEqual([undefined, []]);
  });
});
