/**
 * How a publisher takes the lease (docs/spec/publishing.md#one-writer): at once if the lease is free. Otherwise it waits as a
 * standby until the holder releases the lease, or times out on the standby's own monotonic clock.
 */
import { type ObjectStore, PUT_LIMIT_MS, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import type { Clock, WatchedClock } from "../clock/clock.ts";
import { isClockFailure, judgeClock, storeTime } from "../clock/judge.ts";
import type { Known } from "../known.ts";
import { isLocked } from "../sources/source-reader.ts";
import { heldBy } from "./holder.ts";
import { Lease } from "./lease.ts";
import type { LeaseIdentity } from "./lease-record.ts";
import {
  DEFAULT_PACE,
  type FoundLease,
  findLease,
  hasExpired,
  type LeaseRecord,
  leaseUnreadable,
  writeId,
} from "./lease-record.ts";
import { announce, type StandbyRecord } from "./standby-record.ts";

export interface Candidate {
  readonly store: ObjectStore;
  readonly clock: WatchedClock;
  readonly identity: LeaseIdentity;
  /** Locked by this process. So an earlier holder that used the same state directory is dead. */
  readonly known: Known;
  /** Called if the lease object is unreadable. It must stay unchanged for `forMs` before the lease is taken. */
  readonly onUnreadable?: (forMs: number) => void;
  /** Called before the lease is taken. If it throws, nothing is put. */
  readonly check?: () => Promise<void>;
  /** Returns the last check of a standby's ledger; undefined before the first. */
  readonly ledger?: () => StandbyRecord["ledger"] | undefined;
  /** Called after the lease was taken. */
  readonly onTaken?: (taken: TakenLease) => void;
}

export interface TakenLease {
  /** The previous holder's public name; null if there was none or the lease object is unreadable. */
  readonly from: string | null;
  readonly epoch: number;
  readonly because: "first" | "released" | "our own process died" | "expired" | "silent" | "unreadable";
}

/** Takes the lease now, or throws `Failure` lease_held (75), lease_unreadable (74). */
export async function acquireNow(candidate: Candidate): Promise<Lease> {
  const { store, known } = candidate;
  const found = await findLease(store);
  if (found !== undefined && found.record === undefined) throw leaseUnreadable();
  const record = found?.record;
  const mine = record !== undefined && isOurs(known, record.holder);
  if (record !== undefined && !mine && !(await isFree(candidate, record))) throw await heldBy(store, record);
  // True if the store still has the last record that this state's publisher wrote. Then nobody has written since, and the store
  // was not put back from a copy, so `known` still holds.
  const isLast = found?.record !== undefined && writeId(found.tag, found.record) === known.rows.meta("lease");
  const trusted = mine && isLast && known.rows.meta("store") === store.name;
  const because =
    record === undefined ? "first" : record.released ? "released" : mine ? "our own process died" : "expired";
  return take(candidate, found, { trusted, because });
}

/**
 * True if anybody may take the lease at once. A store without a clock leaves only the host's clock, which may have moved.
 * Then the record must be watched (`HolderTimeout`).
 */
async function isFree({ store, clock }: Candidate, record: LeaseRecord): Promise<boolean> {
  if (record.released) return true;
  const now = await storeTime(store, clock);
  return now !== undefined && hasExpired(record, now);
}

/**
 * For `publish --once`. Like `acquireNow`, but waits in two cases. If the lease object is unreadable, its unknown holder may live as
 * long as the longest lease. And the lease may have expired by the host's clock alone. `pause` waits for the given milliseconds.
 */
export async function acquireForOneRun(candidate: Candidate, pause: (ms: number) => Promise<void>): Promise<Lease> {
  const { store, clock, known } = candidate;
  const found = await findLease(store);
  const record = found?.record;
  const isWatched = found !== undefined && (record === undefined || hasExpired(record, clock.wall()));
  if (!isWatched || (record !== undefined && isOurs(known, record.holder))) return acquireNow(candidate);
  const attempts = standby(candidate);
  for (;;) {
    const lease = await attempts.tryAcquire();
    if (lease !== undefined) return lease;
    const next = (await findLease(store))?.record;
    if (next !== undefined && !hasExpired(next, clock.wall())) return acquireNow(candidate);
    await pause(attempts.pause());
  }
}

async function take(
  { store, clock, identity, known, check, onTaken }: Candidate,
  found: FoundLease | undefined,
  { trusted, because }: { readonly trusted: boolean; readonly because: TakenLease["because"] },
): Promise<Lease> {
  // `found` was read before. If another publisher takes the lease meanwhile, this one does not get it.
  await check?.();
  const newestAt = lastPublishedAt(known, store, found?.record);
  const holderMoved = found?.record?.clockMoved === true;
  await judgeClock({ store, clock, newestAt, holderMoved });
  // Written first: if this process dies right after the put, the next one recognises the lease as its own.
  known.rows.setMeta("writer", `${known.rows.meta("writer") ?? ""} ${identity.holder}`);
  // The epoch of the unreadable object is unknown, so the last one in the state counts. If a stored object has a higher
  // one, `raiseAbove` corrects it.
  const lastEpoch = known.rows.meta("store") === store.name ? Number(known.rows.meta("epoch") ?? 0) : 0;
  const isUnreadable = found !== undefined && found.record === undefined;
  const from = isUnreadable ? { ...found, epoch: Math.max(found.epoch, lastEpoch) } : found;
  const lease = await Lease.take(store, clock, identity, from);
  // Responses never go back in time, whoever published the last one.
  known.rows.setMeta("at", String(newestAt));
  if (!trusted) known.forgetAll();
  known.rows.setMeta("epoch", String(lease.epoch));
  known.rows.setMeta("store", store.name);
  known.rows.setMeta("writer", identity.holder);
  onTaken?.({ from: found?.record?.holderName ?? null, epoch: lease.epoch, because });
  return lease;
}

/**
 * The last published instant (epoch ms; 0: none), from the lease object and our own state. If somebody held the lease after
 * us, only the lease object counts: objects that were ahead of the time may have been rewritten.
 */
export function lastPublishedAt(known: Known, store: ObjectStore, record: LeaseRecord | undefined): number {
  const own = Number(known.rows.meta("at") ?? 0);
  const reported = Date.parse(record?.lastCycleAt ?? "");
  if (Number.isNaN(reported)) return own;
  const isLater =
    known.rows.meta("store") === store.name && Number(record?.epoch) > Number(known.rows.meta("epoch") ?? 0);
  return isLater ? reported : Math.max(own, reported);
}

/** Undefined if another standby was quicker. */
async function unlessHeld(lease: Promise<Lease>): Promise<Lease | undefined> {
  try {
    return await lease;
  } catch (error) {
    if (error instanceof Failure && error.code === "lease_held") return undefined;
    throw error;
  }
}

/** True if a process that used this state directory took the lease. That process is dead. */
function isOurs(known: Known, holder: string): boolean {
  return (known.rows.meta("writer") ?? "").split(" ").includes(holder);
}

export interface Standby {
  /** Reads the lease once and takes it if possible; undefined while another publisher holds it. */
  tryAcquire(): Promise<Lease | undefined>;
  /** Time until the next try (ms): the poll interval, or less if the holder times out before. */
  pause(): number;
}

/** A standby reads the lease this often (ms). */
const POLL_MS = 2_000;

/**
 * Returns the attempts of a publisher that waits for the lease. Each one announces it, so that the holder renews faster. An
 * unreadable lease counts as one with the longest lifetime.
 */
export function standby(candidate: Candidate): Standby {
  const { store, clock, identity, known } = candidate;
  const timeout = new HolderTimeout(clock);
  let isUnreadable = false;
  let isChecked = false;
  return {
    pause: () => Math.min(POLL_MS, timeout.remainingMs),
    async tryAcquire() {
      const found = await findLease(store);
      const record = found?.record;
      if (found === undefined || (record && (isOurs(known, record.holder) || (await isFree(candidate, record))))) {
        return await unlessHeld(acquireNow(candidate));
      }
      // A publisher that may never have the lease ends now, and not when the holder dies.
      if (!isChecked) await candidate.check?.();
      isChecked = true;
      await announce(store, identity.holder, clock.wall(), candidate.ledger?.());
      const version = record === undefined ? `unreadable ${found.tag}` : `${record.epoch} ${record.renewedAt}`;
      const isSilent = timeout.hasExpired(version, record?.ttlMs ?? DEFAULT_PACE.ttlMs);
      if (record === undefined && !isUnreadable) candidate.onUnreadable?.(timeout.remainingMs);
      isUnreadable = record === undefined;
      const because = record === undefined ? "unreadable" : "silent";
      return isSilent ? await unlessHeld(take(candidate, found, { trusted: false, because })) : undefined;
    },
  };
}

/** A lease object that did not change for its lifetime plus the time limit of a put has no living holder. */
class HolderTimeout {
  readonly #clock: Clock;
  #seen: { readonly version: string; readonly endsAt: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `version` differs after each write of the object; `lifeMs` is the lifetime that it states. */
  hasExpired(version: string, lifeMs: number): boolean {
    const now = this.#clock.monotonic();
    if (this.#seen?.version !== version) this.#seen = { version, endsAt: now + lifeMs + PUT_LIMIT_MS };
    return now >= this.#seen.endsAt;
  }

  /** Time until it expires if nobody writes the object (ms). */
  get remainingMs(): number {
    return this.#seen === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#seen.endsAt - this.#clock.monotonic());
  }
}

export interface Waiting {
  /** Brings the projections up to date, so that the first cycle after a takeover is short. */
  follow(): Promise<void>;
  readonly signal: AbortSignal;
  /** Waits for `ms` milliseconds, or until the signal. */
  pause(ms: number): Promise<void>;
  /** Called once if another publisher holds the lease. */
  onWait(): void;
  /** Called after each attempt that did not fail. */
  onSuccess(): void;
  onOutage(error: Error): void;
  /** Called if the lease could be taken, but the clock is wrong. */
  onClock(failure: Failure): void;
}

/** While the clock is wrong, it is looked at again after this time (ms). */
const CLOCK_AGAIN_MS = 5_000;

/** Waits until the lease is taken, also through outages of the store; undefined if the signal ended the wait. */
export async function waitForLease(standby: Standby, waiting: Waiting): Promise<Lease | undefined> {
  const { signal, onWait, onSuccess, onOutage, onClock } = waiting;
  let hasWaited = false;
  while (!signal.aborted) {
    let isClockWrong = false;
    try {
      const lease = await standby.tryAcquire();
      onSuccess();
      if (lease !== undefined) return lease;
      if (!hasWaited) onWait();
      hasWaited = true;
    } catch (error) {
      if (isClockFailure(error)) {
        onClock(error);
        isClockWrong = true;
      } else if (error instanceof StoreUnavailable) onOutage(error);
      else throw error;
    }
    try {
      await waiting.follow();
    } catch (error) {
      // Following is tried again after the pause.
      if (!isLocked(error)) throw error;
    }
    await waiting.pause(isClockWrong ? CLOCK_AGAIN_MS : standby.pause());
  }
  return undefined;
}
