/** The limits of keys, bodies and metadata, which every store can hold. */
import type { StoreObject } from "./object-store.ts";
import { SEAL_BYTES } from "./seal.ts";

/** S3 allows 2,048 bytes of user metadata, names and values together. */
const S3_METADATA_BYTES = 2048;
/** Reserved for the stores: the mark of a put (`noonmark-put` and 12 characters), and the seal. */
const OWN_METADATA_BYTES = 24 + SEAL_BYTES;
export const MAX_METADATA_BYTES = S3_METADATA_BYTES - OWN_METADATA_BYTES;
/** Bytes of a body: no store accepts or reads a larger one, so that none fills a reader's memory. */
export const MAX_BODY_BYTES = 32 << 20;
/** The limit of S3 for a key, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * Throws `TypeError` for a key that some store could not hold. Every store checks this first, so that a mistake shows on a
 * directory as on S3: no slash at either end, no empty, `.` or `..` segment (they do not survive a URL).
 */
export function checkKey(key: string): void {
  const fault =
    key === ""
      ? "is empty"
      : new TextEncoder().encode(key).length > MAX_KEY_BYTES
        ? `is longer than ${MAX_KEY_BYTES} bytes`
        : !key.isWellFormed()
          ? "is not well-formed Unicode"
          : hasControl(key)
            ? "has a control character"
            : key.split("/").some((segment) => segment === "" || segment === "." || segment === "..")
              ? "has an empty, . or .. segment"
              : undefined;
  if (fault !== undefined) throw new TypeError(`object key ${JSON.stringify(key.slice(0, 100))} ${fault}`);
}

/** Throws `TypeError` for a body or metadata that some store could not hold. */
export function checkObject(object: StoreObject): void {
  if (object.body.length > MAX_BODY_BYTES) {
    throw new TypeError(`a body of ${object.body.length} bytes is above ${MAX_BODY_BYTES}`);
  }
  let bytes = 0;
  for (const [name, value] of Object.entries(object.metadata)) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`metadata name ${JSON.stringify(name)} is not [a-z0-9-]`);
    if (!isFieldValue(value)) throw new TypeError(`metadata ${name} is not printable ASCII without blanks at its ends`);
    bytes += name.length + value.length;
  }
  if (bytes > MAX_METADATA_BYTES) throw new TypeError(`metadata of ${bytes} bytes, ${MAX_METADATA_BYTES} at most`);
  if (!isFieldValue(object.contentType)) throw new TypeError("contentType is not printable ASCII");
}

/** A value that passes an HTTP header unchanged: not empty, no blank at either end. */
function isFieldValue(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
