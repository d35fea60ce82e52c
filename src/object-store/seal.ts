/**
 * The SHA-256 in each object's metadata, over its other metadata and its body. It shows a cut, emptied or changed object
 * before anybody serves it (docs/spec/publishing.md#damage). Every store seals what it puts and checks what it reads, once
 * for each object read. The content type is left out, because servers rewrite it.
 */
import { StoreDamaged, type StoredObject, type StoreObject } from "./object-store.ts";

/** Its name in the metadata. Objects of earlier versions lack it, and are accepted if they name their writer. */
const NAME = "sha256";

/** The space that `name` and 43 characters of base64url take of the metadata. */
export const SEAL_BYTES = NAME.length + 43;

/** The bytes before the body in the hashed text. */
export function sealedHead({ metadata }: StoreObject): string {
  const lines = Object.keys(metadata)
    .toSorted()
    .map((name) => `${name}: ${metadata[name]}\n`);
  return `${lines.join("")}\n`;
}

/** `digest` is that of the object, as unpadded base64url. */
export function withSeal(object: StoreObject, digest: string): StoreObject {
  return { ...object, metadata: { ...object.metadata, [NAME]: digest } };
}

/**
 * An object before it was sealed, and the digest that it claims; undefined without one. Throws `StoreDamaged` if it is
 * another program's: it has no seal, and its metadata name no writer.
 */
export function withoutSeal(
  key: string,
  stored: StoredObject,
): { readonly object: StoredObject; readonly claimed?: string } {
  const { [NAME]: claimed, ...metadata } = stored.metadata;
  if (claimed !== undefined) return { object: { ...stored, metadata }, claimed };
  if (metadata.writer === undefined) throw new StoreDamaged(key, stored.tag, "another program put it");
  return { object: stored };
}

/** Throws `StoreDamaged`. */
export function assertSeal(key: string, object: StoredObject, claimed: string, digest: string): void {
  if (claimed === digest) return;
  throw new StoreDamaged(key, object.tag, "body or metadata are not those that were put");
}
