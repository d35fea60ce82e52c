import type { StoredObject, StoreObject } from "../../src/object-store/object-store.ts";

export function sample(text: string, metadata: Readonly<Record<string, string>> = {}): StoreObject {
  return { body: new TextEncoder().encode(text), contentType: "application/json; charset=utf-8", metadata };
}

/** The compared parts of an object: the body as text, without the tag. */
export function plain(object: StoredObject | undefined) {
  if (object === undefined) return undefined;
  const { body, contentType, metadata } = object;
  return { body: new TextDecoder().decode(body), contentType, metadata };
}

/** An object whose metadata and body contain the same number. */
export function versioned(version: number): StoreObject {
  return sample(`${version},`.repeat(2000 + version), { version: String(version) });
}

/** The number of a `versioned` object. Throws if its parts disagree. */
export function versionOf(object: StoredObject | undefined): number {
  const version = Number(object?.metadata.version);
  if (plain(object)?.body !== `${version},`.repeat(2000 + version)) throw new Error(`torn read of version ${version}`);
  return version;
}
