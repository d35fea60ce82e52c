import { expect, test } from "vitest";
import { CLIENT_WAITS, NODE_WAITS, pageWaits, STORE_WAITS, waitMs } from "../../src/values/backoff.ts";

test.each([
  ["the store", STORE_WAITS, [50, 100, 200, 400, 800, 1_000, 1_000]],
  ["a node", NODE_WAITS, [200, 400, 800, 1_600, 3_200, 5_000]],
  ["the client", CLIENT_WAITS, [500, 1_000, 2_000, 4_000, 8_000, 8_000]],
  ["the page's view of 1 s", pageWaits(1_000), [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000]],
  ["the page's view of 100 s", pageWaits(100_000), [200_000, 200_000]],
])("the waits of %s double up to a bound, and are a random share of it", (_, waits, bounds) => {
  for (const [index, bound] of bounds.entries()) {
    expect([0, 0.25, 1].map((share) => waitMs(waits, index + 1, share))).toEqual([0, bound / 4, bound]);
  }
});

test.each([
  ["the store", STORE_WAITS, 3_600_000],
  ["a node", NODE_WAITS, 30_000],
  ["the client", CLIENT_WAITS, 30_000],
  ["the page", pageWaits(1_000), 115_000],
])("%s waits at least for Retry-After, up to a limit", (_, waits, longest) => {
  expect([10, 20_000, 3_600_000].map((asked) => waitMs(waits, 1, 0, asked))).toEqual([10, 20_000, longest]);
  expect(waitMs(waits, 1, 1, 10)).toBe(waits.firstMs);
});
