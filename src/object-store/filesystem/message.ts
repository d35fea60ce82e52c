/**
 * One object in one file, to be read by eye: header lines, an empty line, the body. Metadata stands as `x-meta-…`;
 * `content-length` shows a file that lost its end, `x-store-tag` is drawn anew for every put.
 */
import type { StoredObject, StoreObject, StoreTag } from "../object-store.ts";

const META = "x-meta-";

/** The bytes before the body. */
export function formatHead(object: StoreObject, tag: StoreTag): string {
  const lines = [
    `content-type: ${object.contentType}`,
    `content-length: ${object.body.length}`,
    `x-store-tag: ${tag}`,
    ...Object.entries(object.metadata).map(([name, value]) => `${META}${name}: ${value}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

/** `undefined` where the bytes are no such message: cut short, or not written by this store. */
export function parseMessage(bytes: Buffer): StoredObject | undefined {
  const end = bytes.indexOf("\n\n");
  if (end < 0) return undefined;
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
  if (contentType === undefined || tag === undefined) return undefined;
  if (headers.get("content-length") !== String(body.length)) return undefined;
  return { body, contentType, metadata, tag };
}
