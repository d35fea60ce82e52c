import { expect, test } from "vitest";
import { ClosedConnection, type Reply, Unanswered } from "../../../src/judge/exchange.ts";
import { paced } from "../../../src/verify/connection.ts";

/** A clock that moves when somebody waits; timers of Node may come a little early or late. */
function clock(error: (at: number) => number) {
  let now = 1_000;
  const waiting: { at: number; go: () => void }[] = [];
  return {
    monotonic: () => now,
    pause: (ms: number) => new Promise<void>((go) => void waiting.push({ at: now + ms + error(now + ms), go })),
    /** Lets everything happen in its order. */
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
  const begun: number[] = [];
  const send = paced(
    async () => {
      begun.push(time.monotonic());
      return {} as Reply;
    },
    50,
    time,
  );
  const all = Promise.all(Array.from({ length: 200 }, () => send({ method: "GET", target: "/", headers: {} })));
  await time.run();
  await all;
  expect(begun).toHaveLength(200);
  const busiest = Math.max(...begun.map((from) => begun.filter((at) => at >= from && at < from + 1_000).length));
  expect(busiest).toBeLessThanOrEqual(50);
});

test("a request on a kept connection that was closed is sent again, in its turn", async () => {
  const time = clock(() => 0);
  const begun: number[] = [];
  const send = paced(
    async () => {
      begun.push(time.monotonic());
      if (begun.length < 3) throw new ClosedConnection("ECONNRESET");
      if (begun.length > 3) throw new Unanswered("ECONNREFUSED");
      return {} as Reply;
    },
    50,
    time,
  );
  const first = send({ method: "GET", target: "/", headers: {} });
  await time.run();
  await first;
  expect(begun.map((at) => at - 1_000)).toEqual([0, 20, 40]);
  const second = send({ method: "GET", target: "/", headers: {} });
  second.catch(() => undefined);
  await time.run();
  await expect(second).rejects.toThrow("ECONNREFUSED");
  expect(begun).toHaveLength(4);
});
