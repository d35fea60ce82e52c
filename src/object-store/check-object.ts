/** Checks keys, bodies and metadata against the limits of all stores. */
import type { StoreObject } from "./object-store.ts";
import { SEAL_BYTES } from "./seal.ts";

/** S3 allows 2,048 bytes of user metadata, counting names and values. */
const S3_METADATA_BYTES = 2048;
/** Reserved for the stores: the id of a put (`noonmark-put` and 12 characters), and the seal. */
const OWN_METADATA_BYTES = 24 + SEAL_BYTES;
export const MAX_METADATA_BYTES = S3_METADATA_BYTES - OWN_METADATA_BYTES;
/** Maximum bytes of a body. No store accepts or reads a larger one, which bounds a reader's memory. */
export const MAX_BODY_BYTES = 32 << 20;
/** S3's limit for a key, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * Returns why some store cannot hold a key, such as one with a slash at either end; undefined if all can. An empty, `.`
 * or `..` segment would not survive a URL. A list may contain such keys, because other programs write into the same
 * bucket.
 */
export function keyFault(key: string): string | undefined {
  if (key === "") return "is empty";
  if (new TextEncoder().encode(key).length > MAX_KEY_BYTES) return `is longer than ${MAX_KEY_BYTES} bytes`;
  if (!key.isWellFormed()) return "is not well-formed Unicode";
  if (hasControl(key)) return "has a control character";
  const hasOddSegment = key.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
  return hasOddSegment ? "has an empty, . or .. segment" : undefined;
}

/** Throws `TypeError` for such a key. Every store checks this first, so that a mistake also shows on a directory. */
export function checkKey(key: string): void {
  const fault = keyFault(key);
  if (fault !== undefined) throw new TypeError(`object key ${JSON.stringify(key.slice(0, 100))} ${fault}`);
}

/** Throws `TypeError` for a body or metadata that some store cannot hold. */
export function checkObject(object: StoreObject): void {
  if (object.body.length > MAX_BODY_BYTES) {
    throw new TypeError(`a body of ${object.body.length} bytes exceeds ${MAX_BODY_BYTES}`);
  }
  let bytes = 0;
  for (const [name, value] of Object.entries(object.metadata)) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`metadata name ${JSON.stringify(name)} is not [a-z0-9-]`);
    if (!isFieldValue(value)) throw new TypeError(`metadata ${name} is not printable ASCII without spaces at its ends`);
    bytes += name.length + value.length;
  }
  if (bytes > MAX_METADATA_BYTES) throw new TypeError(`metadata of ${bytes} bytes exceed ${MAX_METADATA_BYTES}`);
  if (!isFieldValue(object.contentType)) throw new TypeError("contentType is not printable ASCII");
}

/** Returns true for a value that an HTTP header transports unchanged: not empty, no space at either end. */
export function isFieldValue(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
