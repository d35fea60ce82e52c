import { expect, test } from "vitest";
import { Backoff } from "../../../../bin/cli/serve/workers.ts";

test("a worker's restart delay doubles up to ten seconds, and is zero if it ran long enough", () => {
  const backoff = new Backoff();
  expect([1, 1, 1, 1, 1, 1, 1, 1, 1].map((lived) => backoff.after(lived))).toEqual([
    100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000,
  ]);
  expect(backoff.after(30_000)).toBe(100);
  expect(backoff.after(29_999)).toBe(200);
});
