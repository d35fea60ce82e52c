import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { entryText } from "../../src/ledger/entry.ts";
import { decodeRecord } from "../../src/ledger/intake/decode/decode-record.ts";
import type { IntakeRecord } from "../../src/ledger/intake/record-types.ts";
import { exampleLine } from "../../src/ledger/intake/record-types.ts";
import { contains, entryTexts, logPoint, rootOf, subtreeHashes } from "../../src/ledger/log.ts";
import { FACT_KINDS, type FactKind } from "../../src/ledger/schema.ts";
import { leafHash, nodeHash, rootAt } from "../../src/log/tree.ts";
import { ingest } from "./ingest.ts";
import { emptyLedger, instant, type Json, module, oracle, receipt, reporterRun, verdicts } from "./samples.ts";

const EMPTY_ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

/** Published logs have the hashes of these texts, so they never change. */
const TEXTS: Record<FactKind, string> = {
  receipt:
    '{"bootId":"018f6f2e-0000-7a1b-8c2d-0000000000b1","coreStatus":"ACTIVE","counterEpoch":"018f6f2e-0000-7a1b-8c2d-0000000000e1","cumulativeWorkUnits":"123456","distanceMm":1234567,"installationId":"wheel-1","observedAt":"2026-11-20T10:00:00.000Z","provenance":"hardware","receivedAt":"2026-11-20T10:00:00.250Z","rpmMilli":43000,"sequence":12,"softwareVersion":"1.4.2","speedMmPerSecond":612,"telemetryId":"018f6f2e-9c50-7a1b-8c2d-000000000001","type":"receipt"}',
  epoch:
    '{"approvedAt":"2026-11-20T09:00:00.000Z","counterEpoch":"018f6f2e-0000-7a1b-8c2d-0000000000e1","installationId":"wheel-1","type":"epoch"}',
  module:
    '{"driverId":"as5600","health":{"checkedAt":"2026-11-20T09:59:59.000Z"},"installationId":"wheel-1","instanceId":"encoder-0","moduleType":"encoder","moduleVersion":"2.1.0","observedAt":"2026-11-20T10:00:00.000Z","provenance":"hardware","schemaVersion":1,"state":"ready","type":"module"}',
  round:
    '{"closedAt":"2026-11-20T10:10:00.000Z","distanceMm":"5300","eligible":true,"installationId":"wheel-1","roundId":"4021","type":"round","workUnits":"600"}',
  closure:
    '{"acceptedAt":"2026-11-20T10:12:00.000Z","firstRound":"4021","installationId":"wheel-1","lastRound":"4021","type":"closure"}',
  oracle:
    '{"at":"2026-11-20T10:15:00.000Z","blockedReason":"signature_mismatch","installationId":"wheel-1","type":"oracle"}',
  submission:
    '{"activeRoundCount":9,"confirmedAt":null,"expected":{"blockHeight":"48","completedBlockCount":"5","cumulativeWork":"48000","currentWork":"0"},"installationId":"wheel-1","lifecycle":"submitted","outcomeCode":null,"preparedAt":"2026-11-20T10:20:00.000Z","previousSettledThroughRound":"4000","settledThroughRound":"4016","submissionId":"018f6f2e-0000-7a1b-8c2d-00000000005b","submittedAt":"2026-11-20T10:20:04.000Z","terminalAt":null,"transactionHash":"0x5b1f2e3d4c5b6a79880716253443526170819202a3b4c5d6e7f8091a2b3c4d5e","type":"submission"}',
  reporter_run:
    '{"finishedAt":"2026-11-20T10:20:05.000Z","installationId":"wheel-1","result":"submitted","startedAt":"2026-11-20T10:19:58.000Z","type":"reporter_run"}',
  settlement_control:
    '{"at":"2026-11-20T09:00:00.000Z","blockedReason":null,"incidentOpen":false,"installationId":"wheel-1","reporterEnvironmentEnabled":true,"settlementEnabled":true,"type":"settlement_control"}',
};

test("each kind of record has its canonical text, also when it is read again", () => {
  const db = emptyLedger();
  for (const kind of FACT_KINDS) {
    expect(entryText(decodeRecord(JSON.parse(exampleLine(kind)) as Json) as IntakeRecord)).toBe(TEXTS[kind]);
    expect(verdicts(db, JSON.parse(exampleLine(kind)) as Json)).toEqual(["accepted"]);
  }
  expect(textsOf(db)).toEqual(FACT_KINDS.map((kind) => TEXTS[kind]));
});

test("a text has normalised instants, letters and escapes", () => {
  const db = emptyLedger();
  const odd = {
    receivedAt: "2026-11-20T12:00:00.25999+02:00",
    bootId: "018F6F2E-0000-7A1B-8C2D-0000000000B1",
    softwareVersion: 'größe "1"\\ 🐹',
  };
  ingest(db, [receipt(1, odd), oracle({ blockedReason: "a\u2028b / ü" })]);
  const [first, second] = textsOf(db).map((text) => JSON.parse(text) as Json);
  expect(first).toMatchObject({
    receivedAt: "2026-11-20T10:00:00.259Z",
    bootId: "018f6f2e-0000-7a1b-8c2d-0000000000b1",
    softwareVersion: odd.softwareVersion,
  });
  expect(second).toMatchObject({ blockedReason: "a\u2028b / ü" });
  const leaves = textsOf(db).map(leafHash);
  expect(logPoint(db)).toEqual({ size: 2, root: nodeHash(...(leaves as [Buffer, Buffer])).toString("base64") });
});

test("every accepted record is an entry; duplicates, rejections and rolled back records are none", () => {
  const db = emptyLedger();
  expect(logPoint(db)).toEqual({ size: 0, root: EMPTY_ROOT });
  const open = reporterRun({ finishedAt: null, result: null });
  ingest(db, [open, reporterRun(), module(), module({ observedAt: instant(5) }), receipt(1)]);
  expect(logPoint(db).size).toBe(5);
  const before = logPoint(db);
  ingest(db, [open, module(), receipt(1), receipt(1, { sequence: 9 })]);
  ingest(db, [receipt(2), receipt(1, { sequence: 9 })], { strict: true });
  expect(logPoint(db)).toEqual(before);
  ingest(db, [receipt(2)]);
  expect(contains(db, before)).toBe(true);
  expect(logPoint(db).size).toBe(6);
});

test("a log of several subtrees contains each of its earlier states", () => {
  const db = emptyLedger();
  const other = emptyLedger();
  const points = [];
  for (let from = 1; from <= 1400; from += 100) {
    const receipts = Array.from({ length: 100 }, (_, at) => receipt(from + at));
    ingest(db, receipts);
    ingest(other, from === 501 ? ([receipts[1], receipts[0], ...receipts.slice(2)] as Json[]) : receipts);
    points.push(logPoint(db));
  }
  expect(db.prepare("SELECT count(*) FROM subtree").pluck().get()).toBe(5);
  expect(points.every((point) => contains(db, point))).toBe(true);
  expect(points.map((point) => contains(other, point)).indexOf(false)).toBe(5);
});

test("a root follows every appended, exchanged and removed entry", () => {
  const db = emptyLedger();
  const anew = (size: number) =>
    rootAt(size, (level, from, to) => subtreeHashes(db, level, from, to)).toString("base64");
  for (let size = 1; size <= 600; size++) {
    ingest(db, [receipt(size)]);
    expect([size, logPoint(db).root, rootOf(db, size - 1)]).toEqual([size, anew(size), anew(size - 1)]);
  }
  for (const change of [
    "leaf = randomblob(32) WHERE entry_index = 520",
    "leaf = randomblob(32) WHERE entry_index = 599",
  ]) {
    db.exec(`UPDATE entry SET ${change}`);
    expect(logPoint(db).root).toBe(anew(600));
  }
  db.exec("DELETE FROM entry WHERE entry_index >= 555");
  expect(rootOf(db, 556)).toBeUndefined();
  expect(logPoint(db)).toEqual({ size: 555, root: anew(555) });
  ingest(db, [receipt(700), receipt(701)]);
  expect(logPoint(db).root).toBe(anew(logPoint(db).size));
});

function textsOf(db: Database): string[] {
  return [...entryTexts(db, 0, logPoint(db).size)];
}
