import { afterEach, expect, test, vi } from "vitest";
import { type Attempt, retrying } from "../../src/object-store/retry.ts";

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

test("an attempt that is given less time and runs out of it says less than the one before", async () => {
  let attempts = 0;
  const attempt = async ({ signal }: Attempt) => {
    if (++attempts === 1) throw new Error("connection refused");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  };
  const call = retrying({ limitMs: 100, attemptMs: 1_000 }, attempt, () => ({ retry: true }));
  await expect(call).rejects.toThrow("connection refused");
  expect(attempts).toBe(2);
});
