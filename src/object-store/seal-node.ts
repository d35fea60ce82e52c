/** Seals on Node, where a digest is computed at once. */
import { createHash } from "node:crypto";
import type { StoredObject, StoreObject } from "./object-store.ts";
import { assertSeal, sealedHead, withoutSeal, withSeal } from "./seal.ts";

export function seal(object: StoreObject): StoreObject {
  return withSeal(object, digestOf(object));
}

/** The object without its seal. Throws `StoreDamaged` if it is another than was sealed. */
export function unseal(key: string, stored: StoredObject): StoredObject {
  const { object, claimed } = withoutSeal(key, stored);
  if (claimed !== undefined) assertSeal(key, object, claimed, digestOf(object));
  return object;
}

function digestOf(object: StoreObject): string {
  return createHash("sha256").update(sealedHead(object)).update(object.body).digest("base64url");
}
