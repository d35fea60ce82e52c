// Paths, sizes and bytes of a log's files, as tlog-tiles requires them.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bundlePath,
  decodeBundle,
  decodeTile,
  encodeBundle,
  encodeTile,
  newBundles,
  newTiles,
  tilePath,
} from "../../src/log/tiles.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

test.each([
  [{ level: 0, index: 0, width: 256 }, "000"],
  [{ level: 0, index: 0, width: 1 }, "000.p/1"],
  [{ level: 1, index: 999, width: 255 }, "999.p/255"],
  [{ level: 2, index: 1_000, width: 256 }, "x001/000"],
  [{ level: 0, index: 1_067, width: 256 }, "x001/067"],
  [{ level: 0, index: 1_234_067, width: 256 }, "x001/x234/067"],
  [{ level: 5, index: 1_234_067, width: 7 }, "x001/x234/067.p/7"],
  [{ level: 0, index: 2 ** 45 - 1, width: 256 }, "x035/x184/x372/x088/831"],
])("the paths of %j end with %s", (tile, place) => {
  expect(tilePath(tile)).toBe(`tile/${tile.level}/${place}`);
  expect(bundlePath(tile)).toBe(`tile/entries/${place}`);
});

test("the new files between two sizes are exactly those that the smaller log has not", () => {
  const size = fc.oneof(fc.nat(1_000), fc.integer({ min: 65_000, max: 66_500 }));
  fc.assert(
    fc.property(size, size, (one, other) => {
      const [since, until] = one < other ? [one, other] : [other, one];
      const before = new Set([...newTiles(0, since)].map(tilePath));
      const added = [...newTiles(0, until)].map(tilePath).filter((path) => !before.has(path));
      expect([...newTiles(since, until)].map(tilePath)).toEqual(added);
      const bundles = new Set([...newBundles(0, since)].map(bundlePath));
      const addedBundles = [...newBundles(0, until)].map(bundlePath).filter((path) => !bundles.has(path));
      expect([...newBundles(since, until)].map(bundlePath)).toEqual(addedBundles);
    }),
  );
});

test("a bundle has each entry after its length in two bytes, the higher one first", () => {
  const entries = [bytes(1, 2, 3), bytes(), new Uint8Array(65_535).fill(7)];
  const bundle = encodeBundle(entries);
  expect([...bundle.subarray(0, 9)]).toEqual([0, 3, 1, 2, 3, 0, 0, 255, 255]);
  expect(bundle.length).toBe(3 * 2 + 3 + 65_535);
  expect(decodeBundle(bundle, 3)).toEqual(entries);
});

test.each([
  ["no entry", []],
  ["257 entries", Array.from({ length: 257 }, () => bytes())],
  ["an entry of 65,536 bytes", [new Uint8Array(65_536)]],
])("a bundle of %s is not written", (_, entries) => {
  expect(() => encodeBundle(entries)).toThrow(RangeError);
});

test.each([
  ["is empty", [], 1, "the bundle ends within entry 1 of 1"],
  ["ends within a length", [0], 1, "the bundle ends within entry 1 of 1"],
  ["ends within an entry", [0, 2, 1], 1, "the bundle ends within entry 1 of 1"],
  ["has an entry too few", [0, 1, 5], 2, "the bundle ends within entry 2 of 2"],
  ["has an entry too many", [0, 1, 5, 0, 0], 1, "the bundle has 2 bytes after its 1 entries"],
  ["has a length far behind its end", [255, 255], 1, "the bundle ends within entry 1 of 1"],
])("a bundle that %s is refused", (_, given, width, message) => {
  expect(() => decodeBundle(bytes(...given), width)).toThrow(
    expect.objectContaining({ code: "log_malformed", message }),
  );
});

test("a tile is its hashes in a row", () => {
  const hashes = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const tile = encodeTile(hashes);
  expect(Buffer.from(tile).toString("hex")).toBe("01".repeat(32) + "02".repeat(32));
  expect(decodeTile(tile, 2)).toEqual(hashes);
  for (const width of [1, 3]) expect(() => decodeTile(tile, width)).toThrow(/^the tile has 64 bytes instead of/);
  for (const wrong of [[], Array.from({ length: 257 }, () => new Uint8Array(32)), [bytes(1)]])
    expect(() => encodeTile(wrong)).toThrow(RangeError);
});
