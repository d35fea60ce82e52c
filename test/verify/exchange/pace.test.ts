import { expect, test } from "vitest";
import { paced } from "../../../src/verify/connection.ts";
import { type Reply } from "../../../src/verify/exchange.ts";

/** A clock that moves when someone waits. Node's timers may fire slightly early or late. */
function clock(error: (at: number) => number) {
  let now = 1_000;
  const waiting: { at: number; go: () => void }[] = [];
  return {
    monotonic: () => now,
    pause: (ms: number) => new Promise<void>((go) => void waiting.push({ at: now + ms + error(now + ms), go })),
    /** Runs all pending events in order. */
    async run() {
      for (;;) {
        for (let turns = 0; turns < 20; turns++) await Promise.resolve();
        const next = waiting.toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined) return;
        waiting.splice(waiting.indexOf(next), 1);
        now = Math.max(now, next.at);
        next.go();
      }
    },
  };
}

test.each([
  ["exact timers", () => 0],
  ["early timers", () => -0.7],
  ["late timers", (at: number) => (Math.floor(at) % 3) * 9],
])("verify never sends more than 50 requests in a second, %s", async (_, error) => {
  const time = clock(error);
  const sentAt: number[] = [];
  const send = paced(
    async () => {
      sentAt.push(time.monotonic());
      return {} as Reply;
    },
    50,
    time,
  );
  const all = Promise.all(Array.from({ length: 200 }, () => send({ method: "GET", target: "/", headers: {} })));
  await time.run();
  await all;
  expect(sentAt).toHaveLength(200);
  const busiest = Math.max(...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 1_000).length));
  expect(busiest).toBeLessThanOrEqual(50);
});
