import { expect, test } from "vitest";
import { BytesCache } from "../../../src/shim/node/bytes-cache.ts";

const KEYS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const kept = (cache: BytesCache) => [...KEYS, "i", "j"].filter((key) => cache.get(key) !== undefined).join("");

test("as many bytes as may be: what was not used for longest goes first, and what is too large does not come", () => {
  const cache = new BytesCache(800);
  for (const key of KEYS) cache.add(key, new Uint8Array(100));
  cache.get("a");
  cache.add("i", new Uint8Array(50));
  expect([kept(cache), cache.bytes]).toEqual(["acdefghi", 750]);
  cache.add("j", new Uint8Array(101));
  cache.add("c", new Uint8Array(20));
  expect([kept(cache), cache.bytes]).toEqual(["acdefghi", 670]);
});
