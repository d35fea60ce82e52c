// Range sizes adapt to the node (docs/spec/chain.md#reading).
import fc from "fast-check";
import { expect, test } from "vitest";
import { RangeSize } from "../../../src/chain/rpc/nodes.ts";

test("under any provider limit the size approaches it and is rarely rejected", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), (limit) => {
      const size = new RangeSize();
      let refusals = 0;
      for (let request = 0; request < 200; request++) {
        const requestedSize = size.blocks;
        if (requestedSize > limit) {
          refusals++;
          size.refused(requestedSize);
        } else size.returned(requestedSize, 10);
      }
      expect(refusals).toBeLessThan(40);
      expect(size.blocks).toBeLessThanOrEqual(Math.max(limit, 10_000));
      expect(size.blocks).toBeGreaterThanOrEqual(Math.min(limit, 10_000) / 2 - 1);
    }),
  );
});

test("a response with many logs halves the range, and a short last range of a pass changes nothing", () => {
  const size = new RangeSize(1_000);
  size.returned(1_000, 9_000);
  expect(size.blocks).toBe(500);
  size.returned(12, 0);
  expect(size.blocks).toBe(500);
  size.returned(500, 2_000);
  expect(size.blocks).toBe(500);
  size.returned(500, 100);
  expect(size.blocks).toBe(1_000);
});
