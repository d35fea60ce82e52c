/**
 * `private/status.json` (docs/spec/publishing.md#private-status): what the lease's holder tells the operator beyond the
 * lease object. No front and no shim serves it.
 */
import * as z from "zod";
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { readIfWhole } from "../../src/object-store/read-or-damaged.ts";
import { printableValues } from "../../src/values/printable.ts";
import type { LeaseRecord } from "./lease-record.ts";

/** Free in form but for its holder: another version may have written it. */
const privateStatusSchema = z.looseObject({
  schemaVersion: z.literal(1),
  epoch: z.number().int().positive(),
  /** As in the lease object: of another holder it says nothing of this one. */
  holder: z.string().min(1),
  /** Host and process id. */
  holderName: z.string(),
});

export type PrivateStatus = z.infer<typeof privateStatusSchema>;

/** Throws where the bytes are no such status. Its texts are printable: an operator's terminal shows them. */
export function parsePrivateStatus(body: Uint8Array): PrivateStatus {
  return printableValues(privateStatusSchema.parse(JSON.parse(new TextDecoder().decode(body))));
}

/** Of the lease's holder; undefined where it is missing, damaged or another's. Throws `StoreUnavailable`. */
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
