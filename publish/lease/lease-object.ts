/** `status.json` as it stands in the store, for whoever does not hold the lease. */
import { STATUS_KEY } from "../../src/http/keys.ts";
import {
  type ObjectStore,
  StoreDamaged,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";
import { printable } from "../../src/values/printable.ts";
import { type LeaseRecord, leaseRecordOf, leaseUnreadable } from "./lease-record.ts";
import { readPrivateStatus } from "./private-status.ts";
import { PUT_LIMIT_MS } from "./timing.ts";

/** What stands under the key of the lease. */
export interface FoundLease {
  /** Undefined where it is no lease record: damaged, or another program's. */
  readonly record: LeaseRecord | undefined;
  /** The record's, or what the metadata of an unreadable object say; 0 where they say nothing. */
  readonly epoch: number;
  readonly tag: StoreTag;
}

/** `undefined` where nobody has ever held it. Throws `StoreUnavailable`. */
export async function findLease(store: ObjectStore): Promise<FoundLease | undefined> {
  try {
    const object = await store.get(STATUS_KEY, { fresh: true });
    if (object === undefined) return undefined;
    const record = leaseRecordOf(object.body);
    const epoch = record?.epoch ?? Number(object.metadata.epoch);
    return { record, epoch: Number.isSafeInteger(epoch) ? epoch : 0, tag: object.tag };
  } catch (error) {
    if (error instanceof StoreDamaged) return { record: undefined, epoch: 0, tag: error.tag };
    throw error;
  }
}

/** The lease as it stands in the store; `undefined` where nobody has ever held it. Throws `Failure` lease_unreadable. */
export async function readLease(store: ObjectStore): Promise<(FoundLease & { record: LeaseRecord }) | undefined> {
  const found = await findLease(store);
  if (found === undefined) return undefined;
  const { record } = found;
  if (record === undefined) throw leaseUnreadable();
  return { ...found, record };
}

/** Whether anybody may take the lease without having watched it: released, or silent beyond every doubt. */
export function isFree(record: LeaseRecord, now: number): boolean {
  return record.released || now - Date.parse(record.renewedAt) > record.ttlMs + PUT_LIMIT_MS + FUTURE_ALLOWANCE_MS;
}

/** On the operator's word: marks the lease as let go. A holder that lives finds it gone at its next renewal. */
export async function forceRelease(store: ObjectStore): Promise<LeaseRecord | undefined> {
  const found = await readLease(store);
  if (found !== undefined)
    await store.put(STATUS_KEY, leaseObject({ ...found.record, released: true }), { ifTag: found.tag });
  return found?.record;
}

/** Said with the name that the holder has given itself for operators, where it can be read. */
export async function heldBy(store: ObjectStore, record: LeaseRecord | undefined): Promise<Failure> {
  const holder =
    record === undefined ? "another publisher" : `${await holderNameOf(store, record)} (epoch ${record.epoch})`;
  const since = record === undefined ? "" : `, renewed ${record.renewedAt}`;
  return new Failure("lease_held", `${holder} holds the lease${since}`, {
    exit: EXIT.locked,
    hint: "It is this one's turn when that one ends; `noonmark lease show` tells more.",
  });
}

/** Said by the holder of what it finds in its place. */
export function lostTo(found: LeaseRecord | undefined, writer: string): Failure {
  if (found?.holder === writer && found.released) {
    return new Failure("lease_lost", "this publisher's lease was released by hand (`noonmark lease release`)", {
      exit: EXIT.locked,
      hint: "It puts nothing more. Start it again; another publisher may have taken its place by then.",
    });
  }
  return new Failure("lease_lost", `${found?.holderName ?? "somebody"} has taken the lease over`, {
    exit: EXIT.locked,
  });
}

/** Host and process id where the store still says them of this holder. */
export async function holderNameOf(store: ObjectStore, record: LeaseRecord): Promise<string> {
  const told = await readPrivateStatus(store, record).catch(() => undefined);
  return printable(told?.holderName ?? record.holderName);
}

export function leaseObject(record: LeaseRecord): StoreObject {
  const body = new TextEncoder().encode(`${JSON.stringify(record)}\n`);
  return { body, contentType: JSON_TYPE, metadata: { epoch: String(record.epoch), writer: record.holder } };
}
