/**
 * Formats objects as files. A file holds one object in readable form: header lines, an empty line, the body. Metadata
 * are `x-meta-…`. `content-length` reveals a truncated file. `x-store-tag` is random for every put.
 *
 * A key becomes a file name:
 * - `.http` is appended, so that a key may also be another key's directory.
 * - Upper-case letters become `!` and the lower-case letter (as in Go's module cache), because a disk may ignore case.
 * - All other characters except `a-z 0-9 . _ ~ -` become `%` and the hexadecimal digits of their UTF-8, because a disk
 *   may normalise Unicode.
 * - No name begins with a dot, because those names belong to the store.
 */
import { createHash } from "node:crypto";
import { isFieldValue } from "../check-object.ts";
import { StoreDamaged, type StoredObject, type StoreObject, type StoreTag } from "../object-store.ts";

const SUFFIX = ".http";
/** File systems allow 255 bytes per name; a longer segment continues in a subdirectory. */
const MAX_NAME = 200;
const CONTINUED = "%+";

/** Returns the path below the store's directory, with `/` between names. */
export function fileOfKey(key: string): string {
  const segments = key.split("/").map(escapeSegment);
  const file = `${segments.pop() ?? ""}${SUFFIX}`;
  // A directory named like an object's file would block that object.
  const directories = segments.map((name) =>
    name.endsWith(SUFFIX) ? `${name.slice(0, -SUFFIX.length)}%2ehttp` : name,
  );
  return [...directories, file].map(split).join("/");
}

/** Returns the key of a path; `undefined` for a path without an object. */
export function keyOfFile(path: string): string | undefined {
  if (!path.endsWith(SUFFIX) || /(^|\/)\./.test(path)) return undefined;
  const whole = path.slice(0, -SUFFIX.length).replaceAll(`${CONTINUED}/`, "");
  try {
    return decodeURIComponent(whole.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  } catch {
    return undefined;
  }
}

function escapeSegment(segment: string): string {
  return segment
    .replace(/[^A-Za-z0-9._~-]+/g, (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"))
    .replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
    .replace(/^\./, "%2e");
}

function split(name: string): string {
  const parts = name.match(new RegExp(`.{1,${MAX_NAME}}`, "g")) ?? [];
  return parts.join(`${CONTINUED}/`);
}

const META = "x-meta-";

/** Returns the bytes before the body. */
export function formatHead(object: StoreObject, tag: StoreTag): string {
  const lines = [
    `content-type: ${object.contentType}`,
    `content-length: ${object.body.length}`,
    `x-store-tag: ${tag}`,
    ...Object.entries(object.metadata).map(([name, value]) => `${META}${name}: ${value}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Throws `StoreDamaged` if the bytes are truncated, or if another program wrote them. */
export function parseMessage(key: string, bytes: Buffer): StoredObject {
  const end = bytes.indexOf("\n\n");
  if (end < 0) throw damaged(key, bytes, "it does not begin with the header lines of a stored object");
  const headers = new Map<string, string>();
  const metadata: Record<string, string> = {};
  for (const line of bytes.toString("latin1", 0, end).split("\n")) {
    const colon = line.indexOf(": ");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (name.startsWith(META)) metadata[name.slice(META.length)] = value;
    else headers.set(name, value);
  }
  const body = bytes.subarray(end + 2);
  const [contentType, tag] = [headers.get("content-type"), headers.get("x-store-tag")];
  if (contentType === undefined || tag === undefined) throw damaged(key, bytes, "it has no tag or no type");
  // The seal does not cover it.
  if (!isFieldValue(contentType)) throw damaged(key, bytes, "its type is not printable ASCII");
  const length = headers.get("content-length");
  if (length !== String(body.length)) {
    throw damaged(key, bytes, `it has ${body.length} bytes but its content-length is ${length ?? "missing"}`);
  }
  return { body, contentType, metadata, tag };
}

/** Uses a hash of the bytes as the tag, so that a conditional put can replace exactly these bytes. */
function damaged(key: string, bytes: Buffer, because: string): StoreDamaged {
  return new StoreDamaged(key, createHash("sha256").update(bytes).digest("base64url"), because);
}
