/** Seals without `node:crypto`: by Web Crypto, which hashes one buffer, asynchronously. */
import type { StoredObject, StoreObject } from "../object-store.ts";
import { assertSeal, sealedHead, withoutSeal, withSeal } from "../seal.ts";

export async function seal(object: StoreObject): Promise<StoreObject> {
  return withSeal(object, await digestOf(object));
}

/** The object without its seal. Throws `StoreDamaged` if it is another than was sealed. */
export async function unseal(key: string, stored: StoredObject): Promise<StoredObject> {
  const { object, claimed } = withoutSeal(stored);
  if (claimed !== undefined) assertSeal(key, object, claimed, await digestOf(object));
  return object;
}

async function digestOf(object: StoreObject): Promise<string> {
  const head = new TextEncoder().encode(sealedHead(object));
  const bytes = new Uint8Array(head.length + object.body.length);
  bytes.set(head);
  bytes.set(object.body, head.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
