import { expect, test } from "vitest";
import { readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { emptyLedger, HASH, instant, type Json, receipt, submission, uuid, verdicts } from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

const SUBMITTED = { lifecycle: "submitted", submittedAt: instant(5), transactionHash: HASH };
const RETRYING = { ...SUBMITTED, lifecycle: "retrying" };
const CONFIRMED = { ...SUBMITTED, lifecycle: "confirmed", confirmedAt: instant(9), terminalAt: instant(10) };
const REVERTED = { ...SUBMITTED, lifecycle: "reverted", terminalAt: instant(10), outcomeCode: "reverted" };
const SUPERSEDED = { lifecycle: "superseded", terminalAt: instant(10), outcomeCode: "superseded" };

function only(changes: Json): string | undefined {
  return verdicts(emptyLedger(), submission(changes))[0];
}

test.each<[string, Json]>([
  ["activeRoundCount", { activeRoundCount: 17, settledThroughRound: "4100" }],
  ["activeRoundCount", { activeRoundCount: 3, settledThroughRound: "4002" }],
  ["settledThroughRound", { settledThroughRound: "4000", activeRoundCount: 0 }],
  ["settledThroughRound", { settledThroughRound: "999", activeRoundCount: 0 }],
  ["submittedAt", { submittedAt: instant(5) }],
  ["submittedAt", { ...SUBMITTED, submittedAt: null }],
  ["submittedAt", { ...CONFIRMED, submittedAt: null }],
  ["submittedAt", { ...REVERTED, submittedAt: null }],
  ["terminalAt", { terminalAt: instant(10) }],
  ["terminalAt", { ...SUBMITTED, terminalAt: instant(10) }],
  ["terminalAt", { ...RETRYING, terminalAt: instant(10) }],
  ["terminalAt", { ...CONFIRMED, terminalAt: null }],
  ["terminalAt", { ...REVERTED, terminalAt: null }],
  ["terminalAt", { ...SUPERSEDED, terminalAt: null }],
  ["confirmedAt", { ...CONFIRMED, confirmedAt: null }],
  ["confirmedAt", { ...SUBMITTED, confirmedAt: instant(9) }],
  ["confirmedAt", { ...REVERTED, confirmedAt: instant(9) }],
  ["confirmedAt", { ...SUPERSEDED, confirmedAt: instant(9) }],
  ["outcomeCode", { ...REVERTED, outcomeCode: null }],
  ["outcomeCode", { ...REVERTED, outcomeCode: "superseded" }],
  ["outcomeCode", { ...REVERTED, outcomeCode: "out_of_gas" }],
  ["outcomeCode", { ...SUPERSEDED, outcomeCode: "reverted" }],
  ["outcomeCode", { ...CONFIRMED, outcomeCode: "confirmed" }],
  ["outcomeCode", { ...SUBMITTED, outcomeCode: "reverted" }],
  ["submittedAt", { ...SUBMITTED, submittedAt: instant(-1) }],
  ["confirmedAt", { ...CONFIRMED, confirmedAt: instant(4) }],
  ["terminalAt", { ...CONFIRMED, terminalAt: instant(8) }],
  ["terminalAt", { ...REVERTED, terminalAt: instant(4) }],
  ["terminalAt", { ...SUPERSEDED, terminalAt: instant(-1) }],
])("submission_invalid names %s: %j", (field, changes) => {
  expect(only(changes)).toBe(`submission_invalid ${field}`);
});

test("a code of another outcome is submission_invalid, and an unknown code is invalid_field", () => {
  for (const outcomeCode of [1, "", "a\nb", {}])
    expect(only({ ...REVERTED, outcomeCode })).toBe("invalid_field outcomeCode");
});

test("later records update a submission, in any order of the open lifecycles except back to preparing", () => {
  const db = emptyLedger();
  expectVerdicts(db, [
    [submission(), "accepted"],
    [submission({ activeRoundCount: 8 }), "accepted"],
    [submission(RETRYING), "accepted"],
    [submission(SUBMITTED), "accepted"],
    [submission({ ...SUBMITTED, submittedAt: instant(6) }), "accepted"],
    [submission({ activeRoundCount: 7 }), "submission_invalid lifecycle"],
    [submission({ ...RETRYING, submittedAt: null }), "accepted"],
    [submission(CONFIRMED), "accepted"],
  ]);
  expect(db.prepare("SELECT lifecycle, active_round_count FROM submission").raw().all()).toEqual([["confirmed", 9]]);
  expect(readWatermarks(db, 1).submission).toBe(7);
  expect(db.prepare("SELECT changed_seq FROM submission").pluck().get()).toBe(7);
});

test("another frontier, expected result or preparedAt is a conflict on submissionId, before and after the end", () => {
  const expected = submission().expected as Json;
  const others: Json[] = [
    { previousSettledThroughRound: "3999" },
    { settledThroughRound: "4017" },
    { preparedAt: instant(-1) },
    ...Object.keys(expected).map((field) => ({ expected: { ...expected, [field]: "77" } })),
  ];
  for (const now of [{}, SUBMITTED, CONFIRMED, REVERTED, SUPERSEDED]) {
    const db = emptyLedger();
    verdicts(db, submission(now));
    for (const other of others)
      expect(verdicts(db, submission({ ...now, ...other }))).toEqual(["conflict submissionId"]);
  }
});

test("changed_seq finds the submissions that changed since a watermark", () => {
  const db = emptyLedger();
  verdicts(db, submission({ submissionId: uuid(1) }), receipt(1), submission({ submissionId: uuid(2) }));
  const seen = readWatermarks(db, 1).submission;
  verdicts(db, submission({ submissionId: uuid(1), ...SUBMITTED }), submission({ submissionId: uuid(2) }));
  expect(db.prepare("SELECT submission_id FROM submission WHERE changed_seq > ?").pluck().all(seen)).toEqual([uuid(1)]);
});

test("each lifecycle has its required and optional fields", () => {
  for (const right of [
    {},
    SUBMITTED,
    RETRYING,
    { ...RETRYING, submittedAt: null },
    CONFIRMED,
    REVERTED,
    SUPERSEDED,
    { ...SUPERSEDED, submittedAt: instant(5) },
    { ...SUBMITTED, transactionHash: null },
    { activeRoundCount: 16 },
    { activeRoundCount: 0 },
    { ...SUBMITTED, submittedAt: instant(0) },
    { ...CONFIRMED, submittedAt: instant(9), confirmedAt: instant(9), terminalAt: instant(9) },
  ]) {
    expect(only(right)).toBe("accepted");
  }
});

test("submission_invalid is judged before a conflict", () => {
  const db = emptyLedger();
  verdicts(db, submission());
  expect(verdicts(db, submission({ preparedAt: instant(1), activeRoundCount: 17 }))).toEqual([
    "submission_invalid activeRoundCount",
  ]);
});
