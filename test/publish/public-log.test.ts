/** The signed log that a publisher stores (docs/spec/publishing.md#signed), read by the code that readers have. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkpointKey, logPrefix } from "../../src/http/keys.ts";
import { entryTexts, logSize } from "../../src/ledger/log.ts";
import type { Checkpoint } from "../../src/log/checkpoint.ts";
import { parseNote } from "../../src/log/note.ts";
import { type FileReader, PublicLog, readCheckpoint } from "../../src/log/public-log.ts";
import { newPrivateKey, parseSigner, type Signer } from "../../src/log/signer.ts";
import { type ObjectStore, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { NEXT_SIGNER, SIGNER, START, type WorkOptions, World } from "./world.ts";

const NAME = "wheel.example.org";
const HOUR = 3_600_000;
const signers = [SIGNER];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const readerOf =
  (store: ObjectStore): FileReader =>
  async (path) =>
    (await store.get(logPrefix("public") + path))?.body;

/** Reads the whole log with proofs, and checks that it continues what this reader saw. */
class LogReader {
  readonly seen: Checkpoint[] = [];
  readonly #keys: readonly Signer[];

  constructor(keys: readonly Signer[] = signers) {
    this.#keys = keys;
  }

  async read(store: ObjectStore): Promise<string[]> {
    const read = readerOf(store);
    const checkpoint = await readCheckpoint(
      read,
      this.#keys.map(({ verifier }) => verifier),
    );
    const published = new PublicLog(read, checkpoint);
    for (const earlier of this.seen) await published.requirePrefix(earlier);
    this.seen.push(checkpoint);
    const texts: string[] = [];
    for await (const { text } of published.entries()) texts.push(text);
    return texts;
  }
}

/** Runs one cycle in a new session. `at` in seconds after START. Returns why each object was put or left. */
async function publish(at: number, options: WorkOptions = {}): Promise<ReadonlyMap<string, string>> {
  const worker = await world.work({ signers, ...options });
  try {
    const { rows } = await worker.once(START + at * 1_000);
    for (const { action, key, why } of rows) if (action === "failed") throw new Error(`${key}: ${why}`);
    return new Map(rows.map(({ key, why }) => [key, why]));
  } finally {
    await worker.stop();
  }
}

const entries = () => [...entryTexts(world.ledger, 0, logSize(world.ledger))];

/** The keys below a prefix. */
async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of world.store.list(prefix)) keys.push(key);
  return keys;
}

test("every size is a log that continues the one before", async () => {
  const reader = new LogReader();
  let at = 1;
  for (const count of [1, 1, 5, 248, 1, 1, 300, 700]) {
    world.receive(count);
    await publish((at += 3_000));
    expect(await reader.read(world.store)).toEqual(entries());
  }
  expect(reader.seen.map(({ size }) => size)).toEqual([1, 2, 7, 255, 256, 257, 557, 1257]);
  expect(reader.seen.at(-1)?.origin).toBe(`${NAME}/log`);
});

test("a crash at any call of the store leaves a log that a reader can prove, and no response ahead of it", async () => {
  world.receive(250);
  await publish(1_000);
  const reader = new LogReader();
  await reader.read(world.store);
  world.receive(20);
  for (let calls = 0, isDead = true; isDead; calls++) {
    expect(calls).toBeLessThan(60);
    world.receive(1);
    const dying = dyingAfter(calls);
    const at = START + 2_000_000 + calls * 60_000;
    const worker = await world.work({ signers, store: dying.store }).catch(() => undefined);
    await worker?.cycle(at).catch((error: unknown) => expect(error).toBeInstanceOf(StoreUnavailable));
    worker?.kill();
    isDead = dying.isDead();
    const { length } = await reader.read(world.store);
    for await (const key of world.store.list("")) {
      const position = Number((await world.store.get(key))?.metadata["position"] ?? 0);
      expect(position, key).toBeLessThanOrEqual(length);
    }
  }
  expect(await reader.read(world.store)).toEqual(entries());
});

/** A store that fails every put after the first `puts`. */
function dyingAfter(puts: number): { store: ObjectStore; isDead(): boolean } {
  const { store } = world;
  let left = puts;
  const dying: ObjectStore = {
    name: store.name,
    get: (key, options) => store.get(key, options),
    list: (prefix) => store.list(prefix),
    delete: (key) => store.delete(key),
    async put(key, object, condition) {
      if (left-- <= 0) throw new StoreUnavailable("the publisher was killed");
      return store.put(key, object, condition);
    },
  };
  return { store: dying, isDead: () => left < 0 };
}

test("partial files are deleted an hour after the full one is stored", async () => {
  world.receive(200);
  await publish(1_000);
  world.receive(60);
  await publish(2_000);
  await publish(2_000 + 3_599);
  expect(await keysBelow("log/")).toContain("log/tile/entries/000.p/200");
  await publish(2_000 + 3_601);
  const left = ["checkpoint", "tile/0/000", "tile/0/001.p/4", "tile/1/000.p/1"];
  const bundles = ["tile/entries/000", "tile/entries/001.p/4"];
  expect((await keysBelow("log/")).toSorted()).toEqual([...left, ...bundles].map((path) => `log/${path}`));
  expect(await new LogReader().read(world.store)).toEqual(entries());
});

/** The sizes of the signed checkpoints that are put from now on. */
function checkpointsPut(): readonly number[] {
  const sizes: number[] = [];
  const { put } = world.store;
  world.store.put = (key, object, condition) => {
    if (key === checkpointKey("public")) sizes.push(Number(parseNote(object.body).text.split("\n")[1]));
    return put.call(world.store, key, object, condition);
  };
  return sizes;
}

test("a long private log that becomes public is copied before its checkpoint", async () => {
  world.receive(16_500);
  await publish(100_000, { signers: [] });
  const body = await world.body("/v1/public/telemetry");
  expect(await keysBelow(logPrefix("public"))).toEqual([]);
  const checkpoints = checkpointsPut();
  await publish(100_001);
  expect(checkpoints).toEqual([16_500]);
  expect(await world.body("/v1/public/telemetry")).toBe(body);
  expect((await new LogReader().read(world.store)).length).toBe(16_500);
  await publish(100_001 + HOUR / 1_000);
  expect(await keysBelow(logPrefix("private"))).toEqual([]);
});

test("a lost checkpoint comes back whole, also if the configured installation's newest response is far behind", async () => {
  world.receive(10);
  await publish(100_000);
  world.receive(16_500, 2, "wheel-2");
  await publish(100_001);
  const reader = new LogReader();
  await reader.read(world.store);
  await world.store.delete(checkpointKey("public"));
  const checkpoints = checkpointsPut();
  await publish(100_002, { state: "other" });
  expect(checkpoints).toEqual([16_510]);
  expect(await reader.read(world.store)).toEqual(entries());
});

describe("a public log", () => {
  beforeEach(async () => {
    world.receive(300);
    await publish(1_000);
  });

  test("is signed by two keys during a rotation", async () => {
    await publish(2_000, { signers: [SIGNER, NEXT_SIGNER] });
    await new LogReader([NEXT_SIGNER]).read(world.store);
    await new LogReader([SIGNER]).read(world.store);
    await publish(3_000, { signers: [NEXT_SIGNER] });
    await expect(new LogReader([SIGNER]).read(world.store)).rejects.toThrow(/no known key/);
  });

  test("needs a key, and one of its name", async () => {
    await expect(publish(2_000, { signers: [] })).rejects.toMatchObject({ code: "log_key_missing" });
    const other = parseSigner(newPrivateKey("other.example.org"));
    await expect(publish(2_000, { signers: [other] })).rejects.toMatchObject({ code: "log_key_changed" });
    await publish(2_000 + HOUR / 1_000);
  });
});
