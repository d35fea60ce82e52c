/** Facts from the future are rejected (docs/spec/intake.md#future). The clock is an argument here. */
import { expect, test } from "vitest";
import { exampleLine, RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { ingest } from "../ingest.ts";
import { emptyLedger, instant, type Json, module, receipt, round } from "../samples.ts";

/** 2026-11-20T10:00:00.000Z. */
const NOW = Date.parse(instant(0));

function verdict(record: Json, now: (() => number) | undefined = () => NOW): string {
  const { accepted, rejections } = ingest(emptyLedger(), [record], now === undefined ? {} : { now });
  const [first] = rejections;
  return first === undefined ? `${accepted} accepted` : `${first.fault.code} ${first.fault.field}`;
}

test("a receipt is accepted up to one minute ahead of the clock, and rejected from the next millisecond on", () => {
  expect(verdict(receipt(1, { receivedAt: instant(60) }))).toBe("1 accepted");
  expect(verdict(receipt(1, { receivedAt: instant(60.001) }))).toBe("in_future receivedAt");
  expect(verdict(receipt(1, { receivedAt: "2030-01-01T00:00:00.000Z" }))).toBe("in_future receivedAt");
});

test("instants of all record types are checked, except those of a device's own clock", () => {
  const later = "2030-01-01T00:00:00.000Z";
  const judged = FACT_KINDS.flatMap((kind) => {
    const example = JSON.parse(exampleLine(kind)) as Record<string, unknown>;
    const instants = Object.keys(RECORD_TYPES[kind].schema.shape).filter((field) => /(?:^at|At)$/.test(field));
    return instants.map((field) => {
      // Fields that are null in the example stay in their order.
      const filled = { ...example, [field]: later };
      const { rejections } = ingest(emptyLedger(), [filled], { now: () => NOW });
      const named = rejections
        .flatMap(({ fault }) => [fault, ...fault.others])
        .filter(({ code }) => code === "in_future");
      return `${kind}.${field} ${named.some((fault) => fault.field === field) ? "judged" : "taken"}`;
    });
  });
  expect(judged).toEqual([
    "receipt.observedAt taken",
    "receipt.receivedAt judged",
    "epoch.approvedAt judged",
    "module.observedAt judged",
    "round.closedAt judged",
    "closure.acceptedAt judged",
    "oracle.at judged",
    "submission.preparedAt judged",
    "submission.submittedAt judged",
    "submission.terminalAt judged",
    "submission.confirmedAt judged",
    "reporter_run.startedAt judged",
    "reporter_run.finishedAt judged",
    "settlement_control.at judged",
  ]);
});

test("the clock is read as lines arrive, and without a clock nothing is in the future", () => {
  let now = NOW;
  const db = emptyLedger();
  const late = receipt(1, { receivedAt: instant(100) });
  expect(ingest(db, [late], { now: () => now }).rejected).toBe(1);
  now += 60_000;
  expect(ingest(db, [late], { now: () => now }).accepted).toBe(1);
  const replay = [
    round(1, { closedAt: "9999-12-31T23:59:59.999Z" }),
    module({ observedAt: "9999-12-31T23:59:59.999Z" }),
  ];
  expect(ingest(db, replay)).toMatchObject({ accepted: 2 });
});
