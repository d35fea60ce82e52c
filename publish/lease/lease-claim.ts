/** Of a lease what `noonmark fsck` holds against the other objects. */
import type { LeaseClaim } from "../../src/fsck/facts.ts";
import { parseLeaseRecord } from "./lease-record.ts";

/** Throws `Failure` lease_unreadable. */
export function leaseClaim(body: Uint8Array): LeaseClaim {
  const { epoch, holder, lastCycleAt, public: said } = parseLeaseRecord(body);
  return {
    epoch,
    holder,
    lastCycleAt: lastCycleAt === null ? undefined : Date.parse(lastCycleAt),
    answers: Object.keys(said?.answers ?? {}),
  };
}
