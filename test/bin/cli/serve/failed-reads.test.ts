import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { failedReads } from "../../../../bin/cli/serve/failed-reads.ts";
import { StoreDamaged } from "../../../../src/object-store/object-store.ts";

afterEach(() => void vi.useRealTimers());

test("damaged objects are whole again when each of them can be read", async () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const reads = failedReads(log, () => Date.now());
  const damaged = new Set(["a", "b"]);
  for (const key of damaged) {
    const error = new StoreDamaged(key, "tag", "its seal is wrong");
    reads.report(error, () => {
      if (damaged.has(key)) throw error;
    });
  }
  damaged.delete("a");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lines).toEqual(["an object is damaged"]);
  damaged.delete("b");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toEqual(["an object is damaged", "every damaged object is whole again"]);
  expect(vi.getTimerCount()).toBe(0);
});
