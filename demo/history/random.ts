/** Pseudo-random values that depend only on a seed and some keys. They are stateless and the same on every machine. */
import { createHash } from "node:crypto";

/** A number in [0, 1) for integer keys, such as an instant and a salt. */
export function fraction(seed: number, ...keys: readonly number[]): number {
  let h = seed | 0;
  for (const key of keys) {
    // Mix in both 32-bit halves, because instants exceed 32 bits.
    for (const half of [key, Math.floor(key / 2 ** 32)]) {
      h = Math.imul(h ^ (half | 0), 0x9e3779b1);
      h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
      h ^= h >>> 13;
    }
  }
  return (h >>> 0) / 2 ** 32;
}

/** A UUID in the format of version 4. */
export function uuidOf(seed: number, ...parts: readonly (string | number)[]): string {
  const hex = digest(seed, parts);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `0x` and 64 hexadecimal digits. */
export function hashOf(seed: number, ...parts: readonly (string | number)[]): string {
  return `0x${digest(seed, parts)}`;
}

function digest(seed: number, parts: readonly (string | number)[]): string {
  return createHash("sha256")
    .update(JSON.stringify([seed, ...parts]))
    .digest("hex");
}
