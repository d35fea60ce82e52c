/**
 * The head from its holder's side (docs/spec/publishing.md#head): swaps, lost responses, other holders, older and lost
 * heads.
 */
import { beforeEach, expect, test } from "vitest";
import { WatchedClock } from "../../publish/clock/clock.ts";
import { firstHead, type Head, headObject, readHead } from "../../publish/head/head.ts";
import { HeldHead, LEASE_MS, RENEW_MS } from "../../publish/head/held-head.ts";
import { HEAD_KEY } from "../../src/http/keys.ts";
import { PUT_LIMIT_MS, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { START } from "./world.ts";

/** A store that can store a put but lose its response. */
class LosingStore extends MemoryStore {
  losing = false;

  override async put(...put: Parameters<MemoryStore["put"]>): ReturnType<MemoryStore["put"]> {
    const tag = await super.put(...put);
    if (this.losing) throw new StoreUnavailable("no response");
    return tag;
  }
}

const FIRST: Head = firstHead("wheel-1", "private");

let now: number;
let store: LosingStore;
let clock: WatchedClock;
const take = (holder: string, opening = FIRST, tag?: string) => HeldHead.take(store, clock, { opening, holder, tag });
const stored = async () => {
  const found = await readHead(store);
  if (found?.head === undefined) throw new Error("no head is stored");
  return { head: found.head, tag: found.tag };
};
const to = (size: number) => () => ({ log: { ...FIRST.log, size } });
beforeEach(() => {
  now = START;
  store = new LosingStore();
  clock = new WatchedClock({ wall: () => now, monotonic: () => now });
});

test("an epoch is at least the instant of its taking, and a takeover doubts what was unfinished", async () => {
  const a = await take("a", { ...FIRST, unfinished: { ...FIRST.unfinished, keys: ["k"] } });
  expect(a.head).toMatchObject({ seq: 1, lease: { epoch: START, holder: "a" }, doubted: [["k", START]] });
  const found = await stored();
  const b = await take("b", found.head, found.tag);
  expect(b.head.lease.epoch).toBe(START + 1);
  await expect(a.swap(to(1))).rejects.toMatchObject({ code: "lease_lost" });
  await expect(a.beforePut()).rejects.toThrow("has taken over");
  expect((await stored()).head.log.size).toBe(0);
});

test("what is done between two swaps is written with the next one", async () => {
  const a = await take("a");
  a.note(() => ({ at: 5 }));
  expect((await stored()).head.at).toBe(0);
  await Promise.all([a.swap(to(1)), a.swap(to(2))]);
  expect((await stored()).head).toMatchObject({ at: 5, seq: 3, log: { size: 2 } });
});

test("a swap that was stored without a response is recognised", async () => {
  const a = await take("a");
  store.losing = true;
  await expect(a.swap(to(1))).rejects.toThrow(StoreUnavailable);
  store.losing = false;
  now += 1;
  await a.swap(to(2));
  expect((await stored()).head).toMatchObject({ log: { size: 2 }, lease: { holder: "a" } });
});

test("nothing is put unless the put ends before anybody else can take the lease", async () => {
  const a = await take("a");
  now += RENEW_MS;
  expect(a.renewalDue).toBe(true);
  store.fail();
  // The timer renews. A put renews only a lease that is late.
  await a.beforePut();
  now += 3_000;
  await expect(a.beforePut()).rejects.toThrow(StoreUnavailable);
  store.failure = undefined;
  now = START + LEASE_MS - PUT_LIMIT_MS + 1;
  await a.beforePut();
  expect((await stored()).head.lease.renewedAt).toBe(now);
});

test("an older head that comes back is replaced by a later one, and all after its log is unfinished", async () => {
  const a = await take("a");
  await a.swap(to(1));
  const older = await stored();
  await a.swap(() => ({ ...to(3)(), unfinished: { ...FIRST.unfinished, since: 3 } }));
  await store.put(HEAD_KEY, headObject(older.head), { ifTag: (await stored()).tag });
  await a.swap();
  expect((await stored()).head).toMatchObject({ seq: 4, log: { size: 3 }, unfinished: { since: 1 } });
});

test("a head that was deleted or damaged is written again by its living holder", async () => {
  const a = await take("a");
  await store.delete(HEAD_KEY);
  await a.swap(to(1));
  expect((await stored()).head.log.size).toBe(1);
  const { tag } = await stored();
  await store.put(HEAD_KEY, { body: Buffer.from("{}"), contentType: "application/json", metadata: {} }, { ifTag: tag });
  await a.swap(to(2));
  expect((await stored()).head.log.size).toBe(2);
});

test("a head of another format is refused, and nothing is put", async () => {
  const a = await take("a");
  const { tag } = await stored();
  const other = { body: Buffer.from('{"schemaVersion":2}'), contentType: "application/json", metadata: {} };
  await store.put(HEAD_KEY, other, { ifTag: tag });
  await expect(a.swap(to(1))).rejects.toMatchObject({ code: "format_unknown" });
});
