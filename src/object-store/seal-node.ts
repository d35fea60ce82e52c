/** Seals objects on Node, where digests are computed synchronously. */
import { createHash } from "node:crypto";
import type { StoredObject, StoreObject } from "./object-store.ts";
import { assertSeal, sealedHead, withoutSeal, withSeal } from "./seal.ts";

export function seal(object: StoreObject): StoreObject {
  return withSeal(object, sealOf(object));
}

/** Returns the object without its seal. Throws `StoreDamaged` if the seal does not match. */
export function unseal(key: string, stored: StoredObject): StoredObject {
  const { object, claimed } = withoutSeal(key, stored);
  assertSeal(key, object, claimed, sealOf(object));
  return object;
}

/** The seal of an object that has none yet. */
export function sealOf(object: StoreObject): string {
  return createHash("sha256").update(sealedHead(object)).update(object.body).digest("base64url");
}
