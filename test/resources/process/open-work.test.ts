/**
 * Compares the open round's work with docs/spec/api.md#process-builder 3, taken literally. Successive ends may also go
 * back.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readNewestReceipt } from "../../../src/ledger/read/receipts.ts";
import { readOpenWork } from "../../../src/projections/rounds/open-round.ts";
import { accept, emptyLedger, type FactOf, uuid } from "./history.ts";

const SLOT = 600_000;

const receipts = fc.array(
  fc.record({
    epoch: fc.integer({ min: 0, max: 9 }).map((n) => uuid(n === 0 ? 2 : 1)),
    observedAt: fc.oneof(
      fc.nat(9 * SLOT),
      fc.nat(9).map((slot) => slot * SLOT),
    ),
    work: fc.nat(50),
  }),
  { minLength: 1, maxLength: 12 },
);
const looks = fc.array(fc.record({ receipts, ends: fc.array(fc.nat(10), { minLength: 1, maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 5,
});

test("the open work equals the slow sum for any facts and any end", () => {
  fc.assert(
    fc.property(looks, (looks) => {
      const ledger = emptyLedger();
      const all: FactOf<"receipt">[] = [];
      let counter = 0n;
      for (const look of looks) {
        for (const { epoch, observedAt, work } of look.receipts) {
          counter += BigInt(work);
          const rest = { receivedAt: observedAt, cumulativeWorkUnits: counter, coreStatus: "ACTIVE" } as const;
          all.push({ type: "receipt", counterEpoch: epoch, observedAt, ...rest });
          accept(ledger, all.at(-1) as FactOf<"receipt">);
        }
        const newest = readNewestReceipt(ledger, 1);
        if (newest === undefined) throw new Error("there is one");
        const ofEpoch = all.filter(({ counterEpoch }) => counterEpoch === newest.counterEpoch);
        for (const slot of look.ends) {
          const base = ofEpoch.findLast(({ observedAt }) => observedAt < slot * SLOT) ?? ofEpoch[0];
          const open = counter - (base?.cumulativeWorkUnits ?? 0n);
          expect(readOpenWork(ledger, 1, newest, BigInt(slot * SLOT))).toBe(open);
        }
      }
      ledger.close();
    }),
    { numRuns: 500 },
  );
});
