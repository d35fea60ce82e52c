/** Who holds the lease. Only the operator may read the host and process id: they are in `private/status.json`. */
import * as z from "zod";
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, readIfWhole } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { FORMAT_VERSION } from "../../src/values/format.ts";
import { printable, printableValues } from "../../src/values/printable.ts";
import type { LeaseRecord } from "./lease-record.ts";

/** Only these fields are fixed: another version may have written the rest. */
const privateStatusSchema = z.looseObject({
  schemaVersion: z.literal(FORMAT_VERSION),
  epoch: z.number().int().positive(),
  /** As in the lease object. If it differs, the status is an earlier holder's. */
  holder: z.string().min(1),
  /** Host and process id. */
  holderName: z.string(),
});

export type PrivateStatus = z.infer<typeof privateStatusSchema>;

/** Throws if the bytes are not a private status. All texts are made printable for a terminal. */
export function parsePrivateStatus(body: Uint8Array): PrivateStatus {
  return printableValues(privateStatusSchema.parse(JSON.parse(new TextDecoder().decode(body))));
}

/** Undefined if it is missing, damaged or an earlier holder's. Throws `StoreUnavailable`. */
export async function readPrivateStatus(
  store: Pick<ObjectStore, "get">,
  { holder }: Pick<LeaseRecord, "holder">,
): Promise<PrivateStatus | undefined> {
  const found = await readIfWhole(store, PRIVATE_STATUS_KEY);
  if (found === undefined) return undefined;
  try {
    const status = parsePrivateStatus(found.body);
    return status.holder === holder ? status : undefined;
  } catch {
    return undefined;
  }
}

/** `Failure` lease_held, with the holder's private name if it can be read. */
export async function heldBy(store: ObjectStore, record: LeaseRecord | undefined): Promise<Failure> {
  const holder =
    record === undefined ? "another publisher" : `${await holderNameOf(store, record)} (epoch ${record.epoch})`;
  const since = record === undefined ? "" : `, renewed ${record.renewedAt}`;
  return new Failure("lease_held", `${holder} holds the lease${since}`);
}

/** Host and process id, if the holder's private status can be read. */
async function holderNameOf(store: ObjectStore, record: LeaseRecord): Promise<string> {
  const status = await readPrivateStatus(store, record).catch(() => undefined);
  return printable(status?.holderName ?? record.holderName);
}
