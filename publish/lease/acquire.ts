/** How a publisher comes by the lease: at once where it may, as a standby where another holds it. */
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import type { Clock } from "../clock/clock.ts";
import type { Known } from "../known.ts";
import { Lease, type LeaseIdentity } from "./lease.ts";
import { type FoundLease, findLease, heldBy, isFree } from "./lease-object.ts";
import { type LeaseRecord, leaseUnreadable } from "./lease-record.ts";
import { Silence } from "./silence.ts";
import { announce } from "./standby-record.ts";
import { CALM } from "./timing.ts";

export interface Candidate {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly identity: LeaseIdentity;
  /** Held exclusively: a holder that wrote into it before us is dead. */
  readonly known: Known;
  /** The lease object cannot be read: it is watched for so long (ms) before it is taken anew. */
  readonly onUnreadable?: (forMs: number) => void;
  /** The lease was taken: from whom, and why it could be. */
  readonly onTaken?: (taken: TakenLease) => void;
}

export interface TakenLease {
  /** The public name of the holder before; null if there was none or the lease object is unreadable. */
  readonly from: string | null;
  readonly epoch: number;
  readonly because: "first" | "released" | "our own process died" | "expired" | "silent" | "unreadable";
}

/** Takes the lease now, or throws `Failure` lease_held (75), lease_unreadable (74). */
export async function acquireNow(candidate: Candidate): Promise<Lease> {
  const { store, clock, known } = candidate;
  const found = await findLease(store);
  if (found !== undefined && found.record === undefined) throw leaseUnreadable();
  const record = found?.record;
  const mine = record !== undefined && isOurs(known, record.holder);
  if (record !== undefined && !mine && !isFree(record, clock.wall())) throw await heldBy(store, record);
  // Nobody else has put anything since we did: what we remember still stands. Otherwise it is read back.
  const trusted =
    (mine || record?.released === true) &&
    String(record?.epoch) === known.meta("epoch") &&
    String(record?.epoch) === known.meta("knownEpoch") &&
    known.meta("store") === store.name;
  const because =
    record === undefined ? "first" : record.released ? "released" : mine ? "our own process died" : "expired";
  return take(candidate, found, { trusted, because });
}

/**
 * The same for a run that does not wait as a standby: an unreadable lease object names nobody who could be asked, and is
 * watched for as long as a holder could live. `pause` waits for so many milliseconds.
 */
export async function acquireOnce(candidate: Candidate, pause: (ms: number) => Promise<void>): Promise<Lease> {
  const { store } = candidate;
  const found = await findLease(store);
  if (found === undefined || found.record !== undefined) return acquireNow(candidate);
  const attempts = standby(candidate);
  for (;;) {
    const lease = await attempts.tryAcquire();
    if (lease !== undefined) return lease;
    if ((await findLease(store))?.record !== undefined) return acquireNow(candidate);
    await pause(attempts.pause());
  }
}

async function take(
  { store, clock, identity, known, onTaken }: Candidate,
  found: FoundLease | undefined,
  { trusted, because }: { readonly trusted: boolean; readonly because: TakenLease["because"] },
): Promise<Lease> {
  // Written before the take, so that a death right after it leaves a lease that we know for our own.
  known.setMeta("writer", `${known.meta("writer") ?? ""} ${identity.holder}`);
  // Of an unreadable object our own state may know more; whoever knows less meets higher epochs and goes above them.
  const lastEpoch = known.meta("store") === store.name ? Number(known.meta("epoch") ?? 0) : 0;
  const isUnreadable = found !== undefined && found.record === undefined;
  const from = isUnreadable ? { ...found, epoch: Math.max(found.epoch, lastEpoch) } : found;
  const lease = await Lease.take(store, clock, identity, from);
  // Responses never go back in time, whoever gave the last one.
  known.setMeta("at", String(lastPublishedAt(known, store, found?.record)));
  if (!trusted) known.forgetAll();
  known.setMeta("epoch", String(lease.epoch));
  known.setMeta("knownEpoch", String(lease.epoch));
  known.setMeta("store", store.name);
  known.setMeta("writer", identity.holder);
  onTaken?.({ from: found?.record?.holderName ?? null, epoch: lease.epoch, because });
  return lease;
}

/**
 * The last instant published (epoch ms; 0: none), by the lease object and our own state. A later holder's word counts
 * alone: it began after the instant that we remember, or has rewritten what lay in the future (`fsck --repair`).
 */
export function lastPublishedAt(known: Known, store: ObjectStore, record: LeaseRecord | undefined): number {
  const own = Number(known.meta("at") ?? 0);
  const told = Date.parse(record?.lastCycleAt ?? "");
  if (Number.isNaN(told)) return own;
  const isLater = known.meta("store") === store.name && Number(record?.epoch) > Number(known.meta("epoch") ?? 0);
  return isLater ? told : Math.max(own, told);
}

/** Another standby was quicker: this one goes on waiting. */
async function unlessHeld(lease: Promise<Lease>): Promise<Lease | undefined> {
  try {
    return await lease;
  } catch (error) {
    if (error instanceof Failure && error.code === "lease_held") return undefined;
    throw error;
  }
}

/** Whether a process that had this state directory, and so is dead, took the lease. */
function isOurs(known: Known, holder: string): boolean {
  return (known.meta("writer") ?? "").split(" ").includes(holder);
}

export interface Standby {
  /** Reads the lease once and takes it where it can be taken; undefined while another holds it. */
  tryAcquire(): Promise<Lease | undefined>;
  /** Until the next try (ms): the usual time, or less where the holder's silence will have lasted long enough. */
  pause(): number;
}

/** Between two reads of the lease by a standby. */
const POLL_MS = 2_000;

/**
 * Waits for a holder to let go or fall silent. It also makes itself known, so that the holder renews faster. Who may
 * stand behind an unreadable lease object is given the longest life that a lease has.
 */
export function standby(candidate: Candidate): Standby {
  const { store, clock, identity, known } = candidate;
  const silence = new Silence(clock);
  let isUnreadable = false;
  return {
    pause: () => Math.min(POLL_MS, silence.left),
    async tryAcquire() {
      const found = await findLease(store);
      const record = found?.record;
      if (found === undefined || (record && (isFree(record, clock.wall()) || isOurs(known, record.holder)))) {
        return await unlessHeld(acquireNow(candidate));
      }
      await announce(store, identity.holder, clock.wall());
      const version = record === undefined ? `unreadable ${found.tag}` : `${record.epoch} ${record.renewedAt}`;
      const isSure = silence.isSure(version, record?.ttlMs ?? CALM.ttlMs);
      if (record === undefined && !isUnreadable) candidate.onUnreadable?.(silence.left);
      isUnreadable = record === undefined;
      const because = record === undefined ? "unreadable" : "silent";
      return isSure ? await unlessHeld(take(candidate, found, { trusted: false, because })) : undefined;
    },
  };
}
