import { afterEach, expect, test, vi } from "vitest";
import { ingest } from "../../../src/ledger/ingest.ts";
import { FactHash } from "../../../src/ledger/intake/accept/fact-hash.ts";
import { receiptLog } from "../../../src/ledger/logs.ts";
import { RECEIPTS_PER_SUM } from "../../../src/ledger/read/changes.ts";
import { type Position, START } from "../../../src/values/log.ts";
import { emptyLedger, receipt } from "../samples.ts";

const RECEIPTS = 5000;

afterEach(() => {
  vi.restoreAllMocks();
});

test("a step over a ledger of an earlier version hashes at most the receipts between two sums", () => {
  const ledger = ledgerWithoutSums();
  const hashed = vi.spyOn(FactHash.prototype, "of");
  const log = receiptLog(ledger, 1);
  for (const position of positionsOf(log)) {
    hashed.mockClear();
    expect(log.lastCommon(position)).toEqual(position);
    expect(hashed.mock.calls.length).toBeLessThanOrEqual(RECEIPTS_PER_SUM);
  }
});

test("a position in a ledger of an earlier version does not count as a fork", () => {
  const forked = ledgerWithoutSums();
  const fork = "SELECT '00000000-0000-4111-8000-' || printf('%012x', position)";
  forked.exec(`UPDATE receipt SET telemetry_id = (${fork}) WHERE position > 1500`);
  const positions = [...positionsOf(receiptLog(ledgerWithoutSums(), 1))].filter(({ at }) => Number(at) > 1500);
  expect(positions.length).toBeGreaterThan(2);
  for (const position of positions) expect(receiptLog(forked, 1).lastCommon(position)).toEqual(START);
});

function* positionsOf(log: ReturnType<typeof receiptLog>): Iterable<Position> {
  let position = START;
  while (log.hasMore(position)) {
    position = log.read(position, RECEIPTS_PER_SUM).through;
    yield position;
  }
}

/** A large batch as earlier versions wrote it: only its end has a row, here without a sum. */
function ledgerWithoutSums() {
  const ledger = emptyLedger();
  ingest(
    ledger,
    Array.from({ length: RECEIPTS }, (_, index) => receipt(index + 1)),
  );
  ledger.exec(`DELETE FROM change WHERE count < ${RECEIPTS}; UPDATE change SET sum = NULL`);
  return ledger;
}
