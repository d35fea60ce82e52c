import { afterEach, expect, test, vi } from "vitest";
import { retrying } from "../../src/object-store/retry.ts";

afterEach(() => vi.restoreAllMocks());

test("a process that was stopped between two attempts begins no other one after the limit", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    throw new Error("no answer");
  };
  const judge = () => {
    queueMicrotask(() => {
      now = 20_000;
    });
    return { retry: true };
  };
  await expect(retrying({ limitMs: 3_500, attemptMs: 1_700 }, attempt, judge)).rejects.toThrow("no answer");
  expect(attempts).toBe(1);
});
