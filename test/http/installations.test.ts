/** The index in its two formats (docs/spec/publishing.md#index). */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  encodeIndexShard,
  encodeShardedIndex,
  encodeWholeIndex,
  isShardKey,
  parseIndex,
  parseIndexShard,
  SHARDS,
  shardKey,
  shardKeyOf,
} from "../../src/http/installations.ts";

const ids = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/);
const histories = fc.uniqueArray(fc.tuple(ids, fc.stringMatching(/^[1-9][0-9]{0,3}$/)), { selector: ([id]) => id });

test("an index with any ids is read back unchanged", () => {
  fc.assert(
    fc.property(histories, ids, (named, configured) => {
      const index = { configured, histories: new Map([...named, ["__proto__", "7"] as const]) };
      expect(parseIndex(encodeWholeIndex(index))).toEqual(index);
      expect(parseIndexShard(encodeIndexShard(index.histories))).toEqual(index.histories);
      expect(parseIndex(encodeShardedIndex({ configured, shards: SHARDS }))).toEqual({ configured, shards: SHARDS });
    }),
  );
});

test("an id's shard is the same in every version", () => {
  expect(["wheel-1", "wheel-2", "..", "a:b"].map((id) => shardKeyOf(id, 256))).toEqual([
    "installations/256/182",
    "installations/256/35",
    "installations/256/13",
    "installations/256/64",
  ]);
});

test("ten thousand similar ids are spread over all shards", () => {
  const counts = new Map<string, number>();
  for (let n = 1; n <= 10_000; n++) {
    const key = shardKeyOf(`wheel-${n}`, SHARDS);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(SHARDS);
  expect(Math.max(...counts.values())).toBeLessThan(80);
});

test("only a canonical key is a shard's key", () => {
  expect([shardKey(0, 256), shardKey(255, 256), shardKey(0, 1)].every(isShardKey)).toBe(true);
  const none = ["installations", "installations/", "installations/256", "installations/256/256", "installations/0/0"];
  for (const key of [...none, "installations/256/01", "installations/256/1/2", "installations/256/-1"]) {
    expect(isShardKey(key), key).toBe(false);
  }
});

test.each([
  "[]",
  "null",
  "{}",
  '{"schemaVersion":1,"configured":"a"}',
  '{"schemaVersion":1,"configured":1,"installations":{}}',
  '{"schemaVersion":1,"configured":"a","installations":{"a":"1"}}',
  '{"schemaVersion":2,"configured":"a","shards":0}',
  '{"schemaVersion":2,"configured":"a","shards":1.5}',
  '{"schemaVersion":2,"configured":"a","shards":65537}',
  '{"schemaVersion":2,"configured":"a","installations":{}}',
  '{"schemaVersion":3,"configured":"a","shards":256}',
])("an invalid index is rejected: %s", (text) => {
  expect(() => parseIndex(text)).toThrow(SyntaxError);
});

test.each(["[]", "{}", '{"schemaVersion":1,"installations":{}}', '{"schemaVersion":2,"installations":{"a":{}}}'])(
  "an invalid shard is rejected: %s",
  (text) => {
    expect(() => parseIndexShard(text)).toThrow(SyntaxError);
  },
);
