/** The position of a ledger in its stream after intake's rules have changed (docs/spec/intake.md#follow). */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  attach,
  readStreamPosition,
  type StreamState,
  startAfter,
} from "../../../src/ledger/intake/stream-position.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";

const STREAM: StreamState = {
  name: "facts",
  subject: null,
  createdAt: "2026-11-20T00:00:00.000Z",
  first: 1,
  last: 9,
  message: undefined,
};

let ledger: ReturnType<typeof openLedgerForIntake>;
const start = (from: number | undefined) => startAfter(ledger, "facts", null, from);
beforeEach(() => {
  ledger = openLedgerForIntake(":memory:");
  attach(ledger, STREAM, 4, 5);
});
afterEach(() => ledger.close());

test("a ledger that another version's rules have filled continues only with the operator's word", () => {
  expect(start(undefined)).toBe(4);
  const { rules } = readStreamPosition(ledger) ?? {};
  ledger.prepare("UPDATE followed_stream SET rules = ?").run(Number(rules) - 1);
  expect(() => start(undefined)).toThrow(expect.objectContaining({ code: "intake_rules_changed" }));
  // Another message than the next one would lose facts, or take them twice.
  expect(() => attach(ledger, STREAM, start(7), 7)).toThrow(expect.objectContaining({ code: "usage" }));
  attach(ledger, STREAM, start(5), 5);
  expect(start(undefined)).toBe(4);
  expect(readStreamPosition(ledger)?.rules).toBe(rules);
});
