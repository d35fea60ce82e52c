import { expect, test } from "vitest";
import { wakes } from "../../../../../bin/cli/intake/follow/wakes.ts";

/** Pauses that end when the test ends them, or when their signal aborts. */
function world() {
  const pauses: { readonly ms: number; end(): void }[] = [];
  const stop = new AbortController();
  let changed: () => void = () => undefined;
  let watched = true;
  const polls = wakes("spool", stop.signal, {
    pause(ms, signal) {
      if (signal.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const pause = { ms, end: resolve };
      pauses.push(pause);
      signal.addEventListener("abort", () => resolve());
      return promise.finally(() => pauses.splice(pauses.indexOf(pause), 1));
    },
    changes(_, call) {
      changed = call;
      return () => {
        watched = false;
      };
    },
  });
  /** Starts the next wait and returns its result: false if polling has ended. */
  const next = () => polls.next().then(({ done }) => done !== true);
  /** Returns the pauses after all pending callbacks have run. */
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return pauses.map(({ ms }) => ms);
  };
  return { next, settled, elapse: () => pauses[0]?.end(), change: () => changed(), stop, isWatched: () => watched };
}

test("the first poll is due at once, and the others every half second if nothing changes", async () => {
  const { next, settled, elapse } = world();
  expect([await next(), await settled()]).toEqual([true, []]);
  for (let turn = 0; turn < 3; turn++) {
    const due = next();
    expect(await settled()).toEqual([500]);
    elapse();
    expect([await due, await settled()]).toEqual([true, []]);
  }
});

test("a change shortens one wait, and a change during a poll shortens the next wait", async () => {
  const { next, settled, elapse, change } = world();
  await next();
  let due = next();
  expect(await settled()).toEqual([500]);
  change();
  change();
  expect(await settled()).toEqual([10]);
  elapse();
  expect(await due).toBe(true);
  change();
  due = next();
  expect(await settled()).toEqual([10]);
  change();
  expect(await settled()).toEqual([10]);
  elapse();
  await due;
  due = next();
  expect(await settled()).toEqual([500]);
  elapse();
  await due;
});

test("a stop ends the wait and the watch at once", async () => {
  const { next, settled, stop, isWatched } = world();
  await next();
  const due = next();
  expect(await settled()).toEqual([500]);
  stop.abort();
  expect([await due, await next()]).toEqual([false, false]);
  expect([await settled(), isWatched()]).toEqual([[], false]);
});
