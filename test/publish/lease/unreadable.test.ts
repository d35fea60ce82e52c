/** A damaged or invalid lease object (docs/spec/publishing.md#one-writer): who takes it, when, and who keeps it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_PACE, readLease } from "../../../publish/lease/lease-record.ts";
import { INSTALLATIONS_KEY, STANDBY_KEY, STATUS_KEY } from "../../../src/http/keys.ts";
import { PUT_LIMIT_MS } from "../../../src/object-store/object-store.ts";
import { putText } from "../../support/publish-response.ts";
import { START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(3);
});
afterEach(() => world.end());

const DAMAGES = {
  "damaged bytes": async () => world.store.damage(STATUS_KEY),
  "an empty object": () => putText(world.store, STATUS_KEY, "{}"),
  "not JSON": () => putText(world.store, STATUS_KEY, "<html>"),
};

test.each(Object.entries(DAMAGES))(
  "an unreadable lease is taken if nobody wrote it for the time of a life and a put: %s",
  async (name, damage) => {
    const first = await world.work();
    await first.cycle(START + 10_000);
    first.kill();
    await damage();
    const before = world.now;
    // Another state directory has no record of the earlier lease.
    const worker = await world.work({ state: "other" });
    expect(world.now - before).toBeGreaterThanOrEqual(DEFAULT_PACE.ttlMs + PUT_LIMIT_MS);
    expect(world.now - before).toBeLessThan(DEFAULT_PACE.ttlMs + PUT_LIMIT_MS + 2_000);
    world.receive(1);
    const { rows } = await worker.cycle(world.now);
    expect(rows.filter(({ action }) => action === "failed")).toEqual([]);
    // Damaged bytes have no epoch. Objects of an earlier epoch are adopted as always.
    expect((await readLease(world.store))?.record.epoch).toBe(name === "damaged bytes" ? 1 : 2);
    await worker.stop();
  },
);

test("the state directory keeps the epoch of a lease that cannot be read", async () => {
  for (let run = 0; run < 3; run++) await (await world.work()).stop();
  world.store.damage(STATUS_KEY);
  await world.work();
  expect((await readLease(world.store))?.record.epoch).toBe(4);
});

test.each(Object.entries(DAMAGES))("a living holder rewrites its unreadable lease: %s", async (_, damage) => {
  const holder = await world.work();
  await holder.cycle(START + 10_000);
  await damage();
  world.now += DEFAULT_PACE.renewMs;
  await holder.publisher.renewIfDue(undefined);
  expect((await readLease(world.store))?.record).toMatchObject({ epoch: 1, released: false });
  world.receive(1);
  expect((await holder.cycle(world.now)).rows.some(({ action }) => action === "updated")).toBe(true);
  await holder.stop();
});

test("a holder that was away for longer than its lease's life does not rewrite it, because another may have it", async () => {
  const holder = await world.work();
  await putText(world.store, STATUS_KEY, "{}");
  world.now += DEFAULT_PACE.ttlMs;
  await expect(holder.publisher.renewIfDue(undefined)).rejects.toMatchObject({ code: "lease_lost" });
  holder.kill();
});

test("a standby that finds the lease readable again leaves it to its holder", async () => {
  const holder = await world.work();
  world.store.damage(STATUS_KEY);
  const renew = world.store.get.bind(world.store);
  let reads = 0;
  world.store.get = async (key, options) => {
    if (key === STATUS_KEY && ++reads === 4) {
      world.now = Math.max(world.now, START + DEFAULT_PACE.renewMs);
      await holder.publisher.renewIfDue(undefined);
    }
    return renew(key, options);
  };
  await expect(world.work({ state: "other" })).rejects.toMatchObject({ code: "lease_held" });
  world.store.get = renew;
  await holder.stop();
});

test("a holder renews even if standby.json is damaged", async () => {
  const holder = await world.work();
  await putText(world.store, STANDBY_KEY, "{}");
  world.store.damage(STANDBY_KEY);
  world.now += DEFAULT_PACE.renewMs;
  await holder.publisher.renewIfDue(undefined);
  expect((await readLease(world.store))?.record.renewedAt).toBe(new Date(world.now).toISOString());
  await holder.stop();
});

test.each([
  ["lease", STATUS_KEY, '{"schemaVersion":2,"epoch":{"of":"another form"}}'],
  ["index", INSTALLATIONS_KEY, '{"schemaVersion":2,"ids":[]}'],
])("a store whose %s is of another format is refused, and nothing is put", async (_, key, text) => {
  const first = await world.work();
  await first.cycle(START + 10_000);
  await first.stop();
  await putText(world.store, key, text);
  const stored = async () => (await world.store.get(key))?.tag;
  const before = await stored();
  world.store.puts.length = 0;
  const refused = {
    code: "format_unknown",
    message: expect.stringMatching(/has version 2 of its format/),
  };
  await expect(world.work({ state: "other" }).then((worker) => worker.cycle(START + 20_000))).rejects.toMatchObject(
    refused,
  );
  expect([await stored(), world.store.puts.filter((put) => put !== STATUS_KEY)]).toEqual([before, []]);
});
