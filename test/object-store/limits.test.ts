/** The proof that there is only one writer relies on a time limit of every put (docs/spec/publishing.md#one-writer). */
import { afterEach, expect, test, vi } from "vitest";
import { PUT_LIMIT_MS, STORE_LIMIT_MS } from "../../src/object-store/object-store.ts";
import type { R2Bucket } from "../../src/object-store/r2/r2-store.ts";
import { R2Store } from "../../src/object-store/r2/r2-store.ts";
import { type Attempt, retrying } from "../../src/object-store/retry.ts";
import { LIMITS } from "../../src/object-store/s3/s3-store.ts";

test("a put ends before the limit that the lease relies on, and a read of R2 within the same time", async () => {
  // Timers fire late on a busy machine.
  expect(STORE_LIMIT_MS).toBeLessThanOrEqual(PUT_LIMIT_MS - 500);
  expect([LIMITS.limitMs, 2 * LIMITS.attemptMs < LIMITS.limitMs]).toEqual([STORE_LIMIT_MS, true]);
  const limits: unknown[] = [];
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation((ended, ms) => {
    limits.push(ms);
    queueMicrotask(ended);
    return 0 as unknown as NodeJS.Timeout;
  });
  const silent: R2Bucket = { get: () => new Promise(() => {}) };
  await expect(new R2Store(silent).get("k")).rejects.toThrow(`within ${STORE_LIMIT_MS} ms`);
  timers.mockRestore();
  expect(limits).toEqual([STORE_LIMIT_MS]);
});

afterEach(() => vi.restoreAllMocks());

test("a process that was stopped between two attempts starts no further one after the limit", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    throw new Error("no response");
  };
  const judge = () => {
    queueMicrotask(() => {
      now = 20_000;
    });
    return { retry: true };
  };
  await expect(retrying({ limitMs: 3_500, attemptMs: 1_700 }, attempt, judge)).rejects.toThrow("no response");
  expect(attempts).toBe(1);
});

test("after a short last attempt the previous attempt's error is reported", async () => {
  let attempts = 0;
  const attempt = async ({ signal }: Attempt) => {
    if (++attempts === 1) throw new Error("connection refused");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  };
  const call = retrying({ limitMs: 1_000, attemptMs: 5_000 }, attempt, () => ({ retry: true }));
  await expect(call).rejects.toThrow("connection refused");
  expect(attempts).toBe(2);
});
