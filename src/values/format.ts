/** The version of the formats of stored data: JSON objects in the store, and SQLite files. */
import { fieldsOf } from "./unknown.ts";

/** The schemaVersion of the JSON objects that only Noonmark reads: the index and the head. */
export const FORMAT_VERSION = 1;

/** An object with another schemaVersion, which another version of Noonmark wrote. Nobody may overwrite it. */
export class UnknownFormat extends Error {
  override readonly name = "UnknownFormat";
  readonly version: number;

  constructor(name: string, version: number) {
    super(`${name} has version ${version} of its format; this Noonmark knows ${FORMAT_VERSION}`);
    this.version = version;
  }
}

/**
 * Throws `UnknownFormat` for an object with another schemaVersion. A value without a schemaVersion passes, because it is
 * damaged.
 */
export function checkFormat(value: unknown, name: string): void {
  const { schemaVersion } = fieldsOf(value);
  if (typeof schemaVersion === "number" && schemaVersion !== FORMAT_VERSION)
    throw new UnknownFormat(name, schemaVersion);
}
