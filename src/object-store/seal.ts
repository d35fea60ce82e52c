/**
 * The seal is a SHA-256 in each object's metadata, over its other metadata and its body. It reveals a truncated, empty
 * or changed object before anybody serves it (docs/spec/publishing.md#damage). Every store seals what it puts and
 * checks each object it reads. The content type is excluded, because servers rewrite it.
 */
import { StoreDamaged, type StoredObject, type StoreObject } from "./object-store.ts";

/** Metadata name of the seal. */
const NAME = "sha256";

/** Metadata name that an S3 store adds to a sealed object: the id of the put. R2's binding returns it, too. */
export const PUT_ID = "noonmark-put";

/** Bytes of metadata that the name and 43 characters of base64url take. */
export const SEAL_BYTES = NAME.length + 43;

/** Returns the hashed text before the body. */
export function sealedHead({ metadata }: StoreObject): string {
  const lines = Object.keys(metadata)
    .toSorted()
    .map((name) => `${name}: ${metadata[name]}\n`);
  return `${lines.join("")}\n`;
}

/** `digest` is the object's digest as unpadded base64url. */
export function withSeal(object: StoreObject, digest: string): StoreObject {
  return { ...object, metadata: { ...object.metadata, [NAME]: digest } };
}

/** Returns the object without what stores added, and the digest in its seal. Throws `StoreDamaged` if it has none. */
export function withoutSeal(
  key: string,
  stored: StoredObject,
): { readonly object: StoredObject; readonly claimed: string } {
  const { [NAME]: claimed, [PUT_ID]: _, ...metadata } = stored.metadata;
  if (claimed === undefined) throw new StoreDamaged(key, stored.tag, "another program put it");
  return { object: { ...stored, metadata }, claimed };
}

/** Throws `StoreDamaged` if the seal does not match. */
export function assertSeal(key: string, object: StoredObject, claimed: string, digest: string): void {
  if (claimed === digest) return;
  throw new StoreDamaged(key, object.tag, "its body or metadata differ from what was put");
}
