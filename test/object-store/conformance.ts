/** The contract of `src/object-store/object-store.ts`, one test per promise. Every store must pass it. */
import { describe, expect, test } from "vitest";
import { type ObjectStore, StoreConflict, StoreDamaged } from "../../src/object-store/object-store.ts";
import { plain, sample, versioned, versionOf } from "./samples.ts";

export interface Conformance {
  /** An empty store. */
  open(): Promise<ObjectStore>;
  /** Another client of the same objects, like another process. Returns the same client if there can be no other. */
  again(store: ObjectStore): Promise<ObjectStore>;
  /** Replaces an object's body without the store, and keeps its metadata. */
  damage(store: ObjectStore, key: string, body: Uint8Array): Promise<void>;
  /** Tests that a store cannot pass, by title, with the reason. */
  readonly deviations?: Readonly<Record<string, string>>;
}

export function conforms(name: string, subject: Conformance): void {
  describe(`${name} follows the store contract`, () => {
    const used = new Set<string>();
    const promise = (title: string, body: (store: ObjectStore) => Promise<void>) => {
      used.add(title);
      const reason = subject.deviations?.[title];
      if (reason !== undefined) test.skip(`${title} (${reason})`, () => {});
      else test(title, async () => body(await subject.open()));
    };

    promise("a put object is returned with body, type and metadata", async (store) => {
      const tag = await store.put(
        "v4/public/process",
        sample("hello", { status: "200", headers: '{"etag":"\\"a\\""}' }),
      );
      const got = await store.get("v4/public/process");
      expect(plain(got)).toEqual({
        body: "hello",
        contentType: "application/json; charset=utf-8",
        metadata: { status: "200", headers: '{"etag":"\\"a\\""}' },
      });
      expect(got?.tag).toBe(tag);
    });

    promise("an object that was never put is absent", async (store) => {
      expect(await store.get("v4/public/process")).toBeUndefined();
      expect(await store.get("v4/public/process", { fresh: true })).toBeUndefined();
    });

    promise("an earlier result is returned again only while the object has its tag", async (store) => {
      await store.put("k", sample("one"));
      const one = await store.get("k");
      expect(plain(await store.get("k", { unless: one }))).toEqual(plain(one));
      await store.put("k", sample("two"));
      expect(plain(await store.get("k", { unless: one }))?.body).toBe("two");
      await store.delete("k");
      expect(await store.get("k", { unless: one })).toBeUndefined();
    });

    promise("a second client sees each put immediately", async (store) => {
      const other = await subject.again(store);
      for (const text of ["one", "two", "three"]) {
        await store.put("k", sample(text));
        expect(plain(await other.get("k"))?.body).toBe(text);
      }
    });

    promise("metadata can change while the body stays the same", async (store) => {
      const other = await subject.again(store);
      await store.put("k", sample("same", { n: "1" }));
      expect((await other.get("k"))?.metadata).toEqual({ n: "1" });
      await store.put("k", sample("same", { n: "2" }));
      expect((await other.get("k"))?.metadata).toEqual({ n: "2" });
    });

    promise("an empty body and one of 5 MB are returned whole", async (store) => {
      await store.put("empty", { ...sample(""), body: new Uint8Array(0) });
      expect((await store.get("empty"))?.body.length).toBe(0);
      const large = Uint8Array.from({ length: 5 << 20 }, (_, index) => (index * 31 + (index >> 8)) & 255);
      await store.put("large", { ...sample(""), body: large });
      expect(Buffer.compare((await store.get("large"))?.body ?? new Uint8Array(0), large)).toBe(0);
    });

    promise("2 kB of metadata are stored, and more are rejected", async (store) => {
      const metadata = { a: "x".repeat(975), b: 'y"\\{}'.repeat(204).slice(0, 994), "a-b": "z" };
      await store.put("k", sample("body", metadata));
      expect((await store.get("k"))?.metadata).toEqual(metadata);
      await expect(store.put("k", sample("body", { ...metadata, c: "more" }))).rejects.toThrow(TypeError);
    });

    promise("metadata that a header cannot carry is rejected", async (store) => {
      for (const value of ["", " ends", "ends ", "a\nb", "ä", "\u007f"]) {
        await expect(store.put("k", sample("body", { a: value }))).rejects.toThrow(TypeError);
      }
      await expect(store.put("k", sample("body", { Upper: "a" }))).rejects.toThrow(TypeError);
      expect(await store.get("k")).toBeUndefined();
    });

    promise("odd keys are distinct", async (store) => {
      for (const [index, key] of ODD_KEYS.entries()) await store.put(key, sample(`body ${index}`));
      for (const [index, key] of ODD_KEYS.entries()) {
        expect([key, plain(await store.get(key))?.body]).toEqual([key, `body ${index}`]);
      }
      expect((await keysOf(store, "")).sort()).toEqual([...ODD_KEYS].sort());
    });

    promise("keys that no URL reaches are rejected", async (store) => {
      for (const key of ["", "/a", "a/", "a//b", "a/../b", ".", "a\nb", "\ud800", "k".repeat(1025)]) {
        await expect(store.put(key, sample("body"))).rejects.toThrow(TypeError);
        await expect(store.get(key)).rejects.toThrow(TypeError);
      }
    });

    promise("keys are listed under a prefix, in byte order", async (store) => {
      const keys = ["a/2", "a/10", "a/B", "a/~x/y", "ab", "b/1", "a/é", "a/😀", "a/\uffee"];
      for (const key of keys) await store.put(key, sample(key));
      expect(await keysOf(store, "a/")).toEqual(["a/10", "a/2", "a/B", "a/~x/y", "a/é", "a/\uffee", "a/😀"]);
      expect(await keysOf(store, "a")).toHaveLength(8);
      expect(await keysOf(store, "nothing")).toEqual([]);
    });

    promise("a deleted object is absent, and deleting it again is no error", async (store) => {
      await store.put("k", sample("body"));
      await store.get("k");
      await store.delete("k");
      expect(await store.get("k")).toBeUndefined();
      await store.delete("k");
      expect(await keysOf(store, "")).toEqual([]);
    });

    promise("ifAbsent stores only the first put", async (store) => {
      await store.put("k", sample("first"), { ifAbsent: true });
      await expect(store.put("k", sample("second"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
      expect(plain(await store.get("k"))?.body).toBe("first");
      await store.delete("k");
      await store.put("k", sample("third"), { ifAbsent: true });
      expect(plain(await store.get("k"))?.body).toBe("third");
    });

    promise("exactly one of several concurrent ifAbsent puts succeeds", async (store) => {
      const other = await subject.again(store);
      for (let turn = 0; turn < 5; turn++) {
        const puts = Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store : other).put(`race-${turn}`, sample(`writer ${index}`), { ifAbsent: true }),
        );
        await expectOneWinner(store, `race-${turn}`, puts);
      }
    });

    promise("ifTag replaces only the object with that tag", async (store) => {
      const stale = await store.put("k", sample("first"));
      const tag = await store.put("k", sample("second"));
      await expect(store.put("k", sample("late"), { ifTag: stale })).rejects.toThrow(StoreConflict);
      expect(plain(await store.get("k"))?.body).toBe("second");
      const next = await store.put("k", sample("third"), { ifTag: tag });
      expect((await store.get("k"))?.tag).toBe(next);
      await store.delete("k");
      await expect(store.put("k", sample("late"), { ifTag: next })).rejects.toThrow(StoreConflict);
      expect(await store.get("k")).toBeUndefined();
    });

    promise("exactly one of several concurrent ifTag puts succeeds", async (store) => {
      const other = await subject.again(store);
      let tag = await store.put("race", sample("first"));
      for (let turn = 0; turn < 5; turn++) {
        const puts = Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store : other).put("race", sample(`turn ${turn} writer ${index}`), { ifTag: tag }),
        );
        tag = await expectOneWinner(store, "race", puts);
      }
    });

    promise("a reader sees only whole objects", async (store) => {
      const other = await subject.again(store);
      await other.put("k", versioned(0));
      const state = { writing: true };
      const writer = (async () => {
        for (let version = 1; version <= 60; version++) await other.put("k", versioned(version));
      })().finally(() => {
        state.writing = false;
      });
      let last = 0;
      while (state.writing) {
        const version = versionOf(await store.get("k"));
        expect(version).toBeGreaterThanOrEqual(last);
        last = version;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writer;
    });

    for (const [how, damaged] of DAMAGES) {
      promise(`an object that was ${how} is reported as damaged, and can be overwritten by its tag`, async (store) => {
        const key = "v1/public/installations/~a/observations/h/0";
        const tag = await store.put(key, sample(GOOD, { status: "200" }));
        expect(plain(await store.get(key))?.body).toBe(GOOD);
        await subject.damage(store, key, Buffer.from(damaged));
        const other = await subject.again(store);
        const error = await other.get(key, { fresh: true }).catch((cause: unknown) => cause);
        expect(error).toBeInstanceOf(StoreDamaged);
        expect(error).toMatchObject({ key, code: "store_damaged" });
        await expect(store.get(key)).rejects.toThrow(StoreDamaged);
        await expect(store.put(key, sample("late"), { ifTag: `not ${tag}` })).rejects.toThrow(StoreConflict);
        await expect(store.put(key, sample("late"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
        const newTag = await store.put(key, sample(GOOD), { ifTag: (error as StoreDamaged).tag });
        expect(await other.get(key)).toMatchObject({ tag: newTag });
        expect(plain(await store.get(key))?.body).toBe(GOOD);
      });
    }

    test("only existing deviations are named", () => {
      expect(Object.keys(subject.deviations ?? {}).filter((title) => !used.has(title))).toEqual([]);
    });
  });
}

const GOOD = '{"position":128,"distanceMm":1234567}';
const DAMAGES = [
  ["changed by one digit", GOOD.replace("1234567", "1234568")],
  ["cut short", GOOD.slice(0, 20)],
  ["emptied", ""],
] as const;

/** Keys that a careless mapping confuses with each other or with the store's own files. */
const ODD_KEYS = [
  "v1/public/installations/~A/telemetry",
  "v1/public/installations/~a/telemetry",
  "v1/public/installations/~../telemetry",
  "v1/public/installations/~a:b/telemetry",
  `v1/public/installations/~${"W".repeat(128)}/telemetry`,
  "a",
  "a/b",
  "a.http",
  "a.http/b",
  "a%2ehttp/b",
  "!a",
  "%41",
  "%2b+ &?#=",
  ".tmp/x",
  ".noonmark-store",
  "...",
  "\\",
  "é",
  "e\u0301",
  "É",
  "日本/😀",
] as const;

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** One put is stored and the others are conflicts. Returns the stored object's tag. */
async function expectOneWinner(store: ObjectStore, key: string, puts: readonly Promise<string>[]): Promise<string> {
  const results = await Promise.allSettled(puts);
  const won = results.flatMap((result, index) =>
    result.status === "fulfilled" ? [[index, result.value] as const] : [],
  );
  const [winner] = won;
  expect(won).toHaveLength(1);
  for (const result of results) if (result.status === "rejected") expect(result.reason).toBeInstanceOf(StoreConflict);
  expect(plain(await store.get(key))?.body).toMatch(new RegExp(`writer ${winner?.[0]}$`));
  return winner?.[1] ?? "";
}
