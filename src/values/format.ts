/** The version of the formats of stored data: JSON objects in the store, and SQLite files. */
import { Failure } from "./failure.ts";

/** The schemaVersion of the JSON objects that only Noonmark reads: the index, the lease, the statuses. */
export const FORMAT_VERSION = 1;

/**
 * Throws `Failure` format_unknown for an object with another schemaVersion, which another version of Noonmark wrote. So
 * nobody overwrites it. A value without a schemaVersion passes, because it is damaged.
 */
export function checkFormat(value: unknown, name: string): void {
  const { schemaVersion } = (value ?? {}) as { readonly schemaVersion?: unknown };
  if (typeof schemaVersion === "number" && schemaVersion !== FORMAT_VERSION) {
    throw formatUnknown(name, schemaVersion, FORMAT_VERSION);
  }
}

export function formatUnknown(name: string, found: unknown, known: number): Failure {
  return new Failure("format_unknown", `${name} has version ${found} of its format; this Noonmark knows ${known}`);
}
