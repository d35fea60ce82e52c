import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { joinedHash, leafHash, rootAt, SUBTREE_WIDTH } from "../../src/log/tree.ts";

test("the roots of RFC 6962 for its example entries", () => {
  const entries = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
  const leaves = entries.map((hex) => leafOf(Buffer.from(hex, "hex")));
  const roots = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
  ];
  expect(roots.map((_, size) => rootOf(leaves, size).toString("hex"))).toEqual(roots);
});

test("every size up to 3,000 has the root that the definition gives", () => {
  const leaves = leavesOf(3000);
  const slow = slowRoots(leaves);
  const levels = subtreesOf(leaves);
  for (let size = 0; size <= leaves.length; size++) expect([size, rootAt(size, levels)]).toEqual([size, slow(0, size)]);
});

test("a level that lacks hashes is an error, not another root", () => {
  const levels = subtreesOf(leavesOf(300));
  expect(() => rootAt(600, levels)).toThrow("level 0 lacks hashes before 600");
  expect(() => rootAt(512, levels)).toThrow("level 1 lacks hashes before 2");
});

test("an entry's text is hashed as UTF-8", () => {
  expect(leafHash("größe")).toEqual(leafOf(Buffer.from("größe")));
});

function leafOf(entry: Buffer): Buffer {
  return createHash("sha256").update(Buffer.of(0)).update(entry).digest();
}

function leavesOf(size: number): Buffer[] {
  return Array.from({ length: size }, (_, index) => leafHash(`entry ${index}`));
}

function rootOf(leaves: readonly Buffer[], size: number): Buffer {
  return rootAt(size, subtreesOf(leaves.slice(0, size)));
}

function subtreesOf(leaves: readonly Buffer[]) {
  const levels = [leaves];
  for (let level = leaves; level.length >= SUBTREE_WIDTH; levels.push(level)) {
    const whole = Math.floor(level.length / SUBTREE_WIDTH);
    const below = level;
    level = Array.from({ length: whole }, (_, n) => joinedHash(below, n * SUBTREE_WIDTH, (n + 1) * SUBTREE_WIDTH));
  }
  return (level: number, from: number, to: number) => (levels[level] ?? []).slice(from, to);
}

/** The definition of RFC 6962, section 2.1, word by word. Complete subtrees are remembered. */
function slowRoots(leaves: readonly Buffer[]) {
  const known = new Map<string, Buffer>();
  const root = (from: number, to: number): Buffer => {
    const size = to - from;
    if (size === 0) return createHash("sha256").digest();
    if (size === 1) return leaves[from] as Buffer;
    let split = 1;
    while (2 * split < size) split *= 2;
    const name = `${from} ${to}`;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const [left, right] = [root(from, from + split), root(from + split, to)];
    const hash = createHash("sha256").update(Buffer.of(1)).update(left).update(right).digest();
    if (2 * split === size) known.set(name, hash);
    return hash;
  };
  return root;
}
