import { expect, test } from "vitest";
import { wakes } from "../../../../../bin/cli/intake/follow/wakes.ts";

/** Timers that end when the test says so. */
function world() {
  const set: { ms: number; wake: () => void }[] = [];
  let changed: () => void = () => undefined;
  let watched = true;
  const looks = wakes("spool", {
    timer(ms, wake) {
      const entry = { ms, wake };
      set.push(entry);
      return () => {
        if (set.includes(entry)) set.splice(set.indexOf(entry), 1);
      };
    },
    changes(_, call) {
      changed = call;
      return () => {
        watched = false;
      };
    },
  });
  const waits = () => set.map(({ ms }) => ms);
  return { looks, waits, elapse: () => set[0]?.wake(), change: () => changed(), isWatched: () => watched };
}

test("without a change it looks every half second, with one timer", async () => {
  const { looks, waits, elapse } = world();
  for (let turn = 0; turn < 3; turn++) {
    const next = looks.next();
    expect(waits()).toEqual([500]);
    elapse();
    expect(await next).toBe(true);
    expect(waits()).toEqual([]);
  }
});

test("a change shortens one wait, and a change during a look shortens the next", async () => {
  const { looks, waits, elapse, change } = world();
  let next = looks.next();
  change();
  change();
  expect(waits()).toEqual([10]);
  elapse();
  expect(await next).toBe(true);
  change();
  next = looks.next();
  expect(waits()).toEqual([10]);
  change();
  expect(waits()).toEqual([10]);
  elapse();
  await next;
  next = looks.next();
  expect(waits()).toEqual([500]);
  elapse();
  await next;
});

test("a stop ends a wait and leaves no timer", async () => {
  const { looks, waits, isWatched } = world();
  const next = looks.next();
  looks.stop();
  expect([await next, await looks.next(), looks.stopped]).toEqual([false, false, true]);
  expect([waits(), isWatched()]).toEqual([[], false]);
});
