import { afterEach, expect, test, vi } from "vitest";
import { FactHash } from "../../../src/ledger/intake/accept/fact-hash.ts";
import { receiptLog } from "../../../src/ledger/logs.ts";
import { RECEIPTS_PER_SUM } from "../../../src/ledger/read/changes.ts";
import { type Position, START } from "../../../src/values/log.ts";
import { ingest } from "../ingest.ts";
import { emptyLedger, receipt, uuid } from "../samples.ts";

const RECEIPTS = 5000;

afterEach(() => {
  vi.restoreAllMocks();
});

test("a step over a ledger hashes at most the receipts between two sums", () => {
  const ledger = ledgerOf((n) => receipt(n));
  const hashed = vi.spyOn(FactHash.prototype, "of");
  const log = receiptLog(ledger, 1);
  for (const position of positionsOf(log)) {
    hashed.mockClear();
    expect(log.lastCommon(position)).toEqual(position);
    expect(hashed.mock.calls.length).toBeLessThanOrEqual(RECEIPTS_PER_SUM);
  }
});

test("a position in a ledger with other receipts counts as a fork", () => {
  const forked = receiptLog(
    ledgerOf((n) => receipt(n, n > 1500 ? { telemetryId: uuid(100_000 + n) } : {})),
    1,
  );
  const positions = [
    ...positionsOf(
      receiptLog(
        ledgerOf((n) => receipt(n)),
        1,
      ),
    ),
  ].filter(({ at }) => Number(at) > 1500);
  expect(positions.length).toBeGreaterThan(2);
  for (const position of positions) expect(forked.lastCommon(position)).toEqual(START);
});

function* positionsOf(log: ReturnType<typeof receiptLog>): Iterable<Position> {
  let position = START;
  while (log.hasMore(position)) {
    position = log.read(position, RECEIPTS_PER_SUM).through;
    yield position;
  }
}

function ledgerOf(nth: (n: number) => ReturnType<typeof receipt>) {
  const ledger = emptyLedger();
  ingest(
    ledger,
    Array.from({ length: RECEIPTS }, (_, index) => nth(index + 1)),
  );
  return ledger;
}
