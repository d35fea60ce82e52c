/** A holder that lives repairs the store when it is asked to, under its own lease (docs/fsck.md). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { standby } from "../../../publish/lease/acquire.ts";
import { readLease } from "../../../publish/lease/lease-object.ts";
import { CALM } from "../../../publish/lease/timing.ts";
import { Published } from "../../../publish/state/published.ts";
import type { StoredObject } from "../../../src/object-store/object-store.ts";
import { observationTileKey } from "../../../src/resources/observations/keys.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(300);
});
afterEach(() => world.end());

const TILE = observationTileKey(INSTALLATION, "1", 0);
const repaired = async () => (await readLease(world.store))?.record.report.repaired;

function asker(repair: string) {
  const published = Published.inMemory();
  const identity = { holder: crypto.randomUUID(), holderName: "asker" };
  return standby({ store: world.store, clock: world.clock, identity, published, repair });
}

test("what it does not remember as damaged is put anew, the lease stays its own, and it says what it has done", async () => {
  const holder = await world.work();
  await holder.cycle(START + 1_000_000);
  const before = Buffer.from((await world.store.get(TILE))?.body ?? "");
  await world.store.delete(TILE);
  await world.store.delete("v1/public/modules");
  const theirs = { body: new Uint8Array(Buffer.from("{}")), contentType: "text/plain", metadata: {} };
  await world.store.put("v1/public/other", theirs);
  const { metadata } = (await world.store.get("v4/public/process")) as StoredObject;
  await world.store.put("v0/public/process", { ...theirs, metadata });
  world.now += CALM.renewMs;
  expect(await asker("r-1").tryAcquire()).toBeUndefined();
  expect(holder.publisher.isIdle(world.now)).toBe(true);
  await holder.publisher.renewIfDue(undefined);
  expect(holder.publisher.isIdle(world.now)).toBe(false);
  expect(await repaired()).toBeUndefined();
  await holder.cycle(world.now);
  expect(Buffer.compare(before, Buffer.from((await world.store.get(TILE))?.body ?? ""))).toBe(0);
  expect(await world.store.get("v1/public/modules")).toBeDefined();
  expect(await world.store.get("v0/public/process")).toBeUndefined();
  expect(await world.store.get("v1/public/other")).toMatchObject(theirs);
  expect(holder.publisher.isIdle(world.now)).toBe(true);
  world.now += CALM.renewMs;
  await holder.publisher.renewIfDue(undefined);
  expect(await repaired()).toBe("r-1");
  expect((await readLease(world.store))?.record.epoch).toBe(1);
  // Asked the same again, it has done it already.
  expect(holder.publisher.isIdle(world.now)).toBe(true);
  await holder.stop();
});

test("receipts of another ledger in a whole tile are no damage: said, and left", async () => {
  const first = await world.work();
  await first.cycle(START + 1_000_000);
  await first.stop();
  const found = await world.store.get(TILE);
  if (found === undefined) throw new Error("no tile");
  const { tag: _, ...object } = found;
  const other = Buffer.from(found.body).toString().replaceAll('"softwareVersion":"1.4.2"', '"softwareVersion":"9.9.9"');
  await world.store.put(TILE, { ...object, body: Buffer.from(other) });
  const worker = await world.work({ force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(rows.find(({ key }) => key === TILE)).toMatchObject({
    action: "failed",
    why: expect.stringMatching(/^ledger_forked: /),
  });
  expect(Buffer.from((await world.store.get(TILE))?.body ?? "").toString()).toBe(other);
  await worker.stop();
});

test("--force reads every tile, and puts those that are missing or damaged, with the state kept", async () => {
  const first = await world.work();
  await first.cycle(START + 1_000_000);
  await first.stop();
  const keys = [0, 1, 2].map((tile) => observationTileKey(INSTALLATION, "1", tile));
  const before = await Promise.all(keys.map((key) => world.store.get(key)));
  await world.store.delete(keys[0] ?? "");
  world.store.damage(keys[1] ?? "");
  world.store.damage(keys[2] ?? "");
  const worker = await world.work({ force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(
    rows
      .filter(({ why }) => why === "missing or damaged in the store")
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(keys);
  const after = await Promise.all(keys.map((key) => world.store.get(key)));
  expect(after.map((one) => one?.body)).toEqual(before.map((one) => one?.body));
  world.receive(10);
  await worker.stop();
  const next = await world.work();
  expect((await next.cycle(START + 1_010_000)).rows.filter(({ action }) => action === "failed")).toEqual([]);
  await next.stop();
});
