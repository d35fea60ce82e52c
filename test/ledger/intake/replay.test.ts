/** Entries of a log are taken in again (docs/spec/intake.md#replay). */
import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { exampleLine } from "../../../src/ledger/intake/record-types.ts";
import { entryTexts, logPoint, logSize } from "../../../src/ledger/log.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { ingest } from "../ingest.ts";
import { emptyLedger, instant, type Json, module, oracle, receipt, reporterRun } from "../samples.ts";

test("every kind of record gives the same log and the same facts again", () => {
  const original = emptyLedger();
  const records = FACT_KINDS.map((kind) => JSON.parse(exampleLine(kind)) as Json);
  const odd = { softwareVersion: 'größe "1"\\ 🐹', receivedAt: "2026-11-20T12:00:00.25999+02:00" };
  const run = reporterRun({ startedAt: instant(9), finishedAt: null, result: null });
  ingest(original, [...records, receipt(1, { installationId: "wheel-2", ...odd }), run]);
  ingest(original, [
    { ...run, finishedAt: instant(10), result: "failed" },
    module({
      observedAt: instant(8),
      data: { a: [1] },
      resources: { b: {} },
      configurationVersion: "8",
      enabled: false,
    }),
    oracle({ at: "2999-01-01T00:00:00Z", blockedReason: "a\u2028b / ü" }),
  ]);
  const again = emptyLedger();
  replay(again, textsOf(original));
  expect(logPoint(again)).toEqual(logPoint(original));
  for (const table of [
    "installation",
    "watermark",
    "receipt",
    "module",
    "oracle_block",
    "reporter_run",
    "submission",
  ]) {
    expect(again.prepare(`SELECT * FROM ${table}`).all()).toEqual(original.prepare(`SELECT * FROM ${table}`).all());
  }
});

test("a ledger with the first entries takes the rest", () => {
  const original = emptyLedger();
  ingest(original, [module(), receipt(1), receipt(2), module({ observedAt: instant(4) })]);
  const texts = textsOf(original);
  const again = emptyLedger();
  replay(again, texts.slice(0, 2));
  replay(again, texts);
  expect(logPoint(again)).toEqual(logPoint(original));
});

const [RECEIPT, MODULE] = [textOf(receipt(2)), textOf(module())];

test.each<[string, string, string]>([
  ["is empty", "", "malformed_json -: the line is not JSON"],
  ["is not JSON", "{", "malformed_json -: the line is not JSON"],
  ["is no object", "[]", "malformed_json -: the line is not one JSON object"],
  ["has half of a surrogate pair", oddText("\\ud83d"), "malformed_json -: the line has half of a surrogate pair"],
  ["has an unknown type", '{"type":"toString"}', 'unknown_type type: "toString" is none of receipt, '],
  ["has another field", RECEIPT.replace("{", '{"a":1,'), "unknown_field a: receipt has no such field"],
  ["lacks a field", RECEIPT.replace('"coreStatus":"ACTIVE",', ""), "invalid_field coreStatus: coreStatus is required"],
  ["has a dropped field", MODULE.replace("{", '{"data":{},'), "it is not the canonical text of its record"],
  ["has another order of fields", JSON.stringify(receipt(2)), "it is not the canonical text of its record"],
  ["has a space", RECEIPT.replace(":", ": "), "it is not the canonical text of its record"],
  ["ends with a newline", `${RECEIPT}\n`, "it is not the canonical text of its record"],
  ["is two lines", `${RECEIPT}\n${MODULE}`, "malformed_json -: the line is not JSON"],
  ["is a duplicate", textOf(receipt(1)), "it is a duplicate of an earlier entry"],
  ["is a conflict", textOf(receipt(1, { rpmMilli: 1 })), "conflict telemetryId: "],
  ["breaks a rule", textOf(receipt(2, { cumulativeWorkUnits: "1" })), "counter_regression cumulativeWorkUnits: "],
])("an entry that %s is log_not_replayable, and its batch is not kept", (_, text, says) => {
  const ledger = emptyLedger();
  replay(ledger, [textOf(receipt(1))]);
  expect(() => replay(ledger, [textOf(receipt(1)), textOf(oracle()), text])).toThrow(
    expect.objectContaining({
      code: "log_not_replayable",
      message: expect.stringContaining(`entry 2 of the log: ${says}`),
    }),
  );
  expect(logSize(ledger)).toBe(1);
});

test("facts that another command adds between two batches stop a replay", () => {
  const ledger = emptyLedger();
  const intake = new Intake(ledger);
  intake.writeEntry(textOf(receipt(1)), 0);
  intake.end();
  ingest(ledger, [receipt(9)]);
  expect(() => intake.writeEntry(textOf(oracle()), 1)).toThrow(
    expect.objectContaining({
      code: "ledger_forked",
      message: "entry 1 of the log would be entry 2 of :memory:",
    }),
  );
  expect(logSize(ledger)).toBe(2);
});

/** Takes the entries that the ledger lacks. */
function replay(ledger: Database, texts: readonly string[]): void {
  const intake = new Intake(ledger);
  try {
    for (let index = logSize(ledger); index < texts.length; index++) intake.writeEntry(texts[index] as string, index);
    intake.end();
  } finally {
    intake.abort();
  }
}

function textOf(record: Json): string {
  const ledger = emptyLedger();
  ingest(ledger, [record]);
  return textsOf(ledger)[0] as string;
}

function oddText(softwareVersion: string): string {
  return RECEIPT.replace("1.4.2", softwareVersion);
}

function textsOf(ledger: Database): string[] {
  return [...entryTexts(ledger, 0, logSize(ledger))];
}
