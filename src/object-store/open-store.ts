import { EXIT, Failure } from "../values/failure.ts";
import { FilesystemStore } from "./filesystem.ts";
import type { ObjectStore } from "./object-store.ts";

export interface StoreSettings {
  /** Whether to put and delete; for a directory also: make it, and try whether it can be written. */
  readonly write: boolean;
}

/**
 * The store that a setting names: a directory or `s3://bucket/prefix`.
 * Throws `Failure`: `invalid_setting`, `store_unwritable`, `disk_full`.
 */
export async function openStore(location: string, settings: StoreSettings): Promise<ObjectStore> {
  if (/^[a-z][a-z0-9+]+:\/\//.test(location)) {
    throw new Failure("invalid_setting", `store "${location}" is neither a directory nor s3://bucket/prefix`, {
      exit: EXIT.usage,
    });
  }
  return new FilesystemStore(location, { write: settings.write });
}
