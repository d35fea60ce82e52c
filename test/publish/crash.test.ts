/**
 * A publisher that dies before or after any call to the store leaves whole responses. The next one completes its cycle, and
 * the store ends as if nothing had happened.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { leaseClaim } from "../../publish/lease/lease-record.ts";
import { parsePrivateStatus } from "../../publish/status/private-status.ts";
import { fsck } from "../../src/fsck/fsck.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { steppedStore } from "../support/stepped-store.ts";
import { INSTALLATION, START, World } from "./world.ts";

class Died extends Error {}

/** Passes `calls` calls on, then dies: `before` the next is done, or `after` it was done and before its result is known. */
function mortal(store: ObjectStore, calls: number, when: "before" | "after"): ObjectStore {
  let left = calls;
  const step = async <T>(call: () => Promise<T>): Promise<T> => {
    if (left < 0 || (left === 0 && when === "before")) throw new Died();
    left -= 1;
    const result = await call();
    if (left < 0) throw new Died();
    return result;
  };
  return steppedStore(store, step);
}

const ROUTES = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v4/public/process",
  `/v1/public/installations/${INSTALLATION}/telemetry`,
  `/v1/public/installations/${INSTALLATION}/observations?limit=100`,
  `/v1/public/installations/${INSTALLATION}/observations?limit=100&cursor=MTAw`,
];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const findings = async () => {
  const options = { now: START + 500_000, parseLease: leaseClaim, parsePrivateStatus };
  return (await fsck(world.store, options)).findings;
};
const view = () => Promise.all(ROUTES.map((route) => world.body(route, START + 500_000)));

async function publishThenReceive(): Promise<void> {
  world.receive(126);
  const worker = await world.work();
  await worker.cycle(START + 400_000);
  await worker.stop();
  world.receive(40);
}

/** The responses before and after an undisturbed cycle. */
async function undisturbed(): Promise<{ before: string[]; after: string[]; calls: number }> {
  const other = new World();
  try {
    const saved = world;
    world = other;
    await publishThenReceive();
    const before = await view();
    let calls = 0;
    const counted = steppedStore(other.store, (call) => {
      calls++;
      return call();
    });
    const worker = await other.work({ store: counted });
    await worker.cycle(START + 500_000);
    worker.kill();
    const after = await view();
    world = saved;
    return { before, after, calls };
  } finally {
    other.end();
  }
}

test.each(["before", "after"] as const)(
  "a publisher that dies %s any call to the store leaves whole responses",
  async (when) => {
    const { before, after, calls } = await undisturbed();
    expect(calls).toBeGreaterThan(5);
    for (let died = 0; died < calls; died++) {
      world.end();
      world = new World();
      await publishThenReceive();
      await world
        .work({ store: mortal(world.store, died, when) })
        .then(async (worker) => {
          try {
            await worker.cycle(START + 500_000);
          } finally {
            worker.kill();
          }
        })
        .catch((error: unknown) => {
          if (!(error instanceof Died)) throw error;
        });

      expect(await findings()).toEqual([]);
      const seen = await view();
      for (const [index, body] of seen.entries()) {
        if (ROUTES[index]?.includes("observations")) expect(prefixes(before[index], after[index])).toContain(body);
        else expect([before[index], after[index]]).toContain(body);
      }

      const successor = await world.work();
      await successor.cycle(START + 500_000);
      await successor.stop();
      expect(await view()).toEqual(after);
      expect(await findings()).toEqual([]);
    }
  },
);

/** A page may end after any stored tile, so it is the old one, the new one, or ends in between. */
function prefixes(before = "", after = ""): string[] {
  const { items } = JSON.parse(after) as { items: { cursor: string }[] };
  const shorter = items.map((_, index) => {
    const page = JSON.parse(after) as { items: { cursor: string }[]; nextCursor: string | null };
    return JSON.stringify({ ...page, items: page.items.slice(0, index), nextCursor: null });
  });
  return [before, after, ...shorter];
}
