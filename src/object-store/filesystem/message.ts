/**
 * One object in one file, readable by eye: header lines, an empty line, the body. Metadata are `x-meta-…`; `content-length`
 * shows a file that lost its end, `x-store-tag` is drawn for every put.
 */
import { createHash } from "node:crypto";
import { StoreDamaged, type StoredObject, type StoreObject, type StoreTag } from "../object-store.ts";

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

/** Throws `StoreDamaged` if the bytes are no such message: cut short, or not written by this store. */
export function parseMessage(key: string, bytes: Buffer): StoredObject {
  const end = bytes.indexOf("\n\n");
  if (end < 0) throw damaged(key, bytes, "it has no head");
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
  const length = headers.get("content-length");
  if (length !== String(body.length)) {
    throw damaged(key, bytes, `it has ${body.length} bytes and was put with ${length ?? "no number of them"}`);
  }
  return { body, contentType, metadata, tag };
}

/** Its tag is made from the bytes, whatever they are: a conditional put may replace exactly these. */
function damaged(key: string, bytes: Buffer, because: string): StoreDamaged {
  return new StoreDamaged(key, createHash("sha256").update(bytes).digest("base64url"), because);
}
