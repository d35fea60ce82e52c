/**
 * The head, held by this publisher (docs/spec/publishing.md#head, #one-writer). It is swapped by compare-and-swap, one
 * swap after the other. Between two swaps, what was done is kept in memory.
 */

import { HEAD_KEY } from "../../src/http/keys.ts";
import {
  type ObjectStore,
  PUT_LIMIT_MS,
  StoreConflict,
  type StoreTag,
  StoreUnavailable,
} from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import type { WatchedClock } from "../clock/clock.ts";
import { clockMoved, isClockFailure } from "../clock/compare.ts";
import { type Head, headObject, readHead } from "./head.ts";

export const LEASE_MS = 15_000;
export const RENEW_MS = 5_000;
/** A put renews the lease itself from this age on. */
const LATE_MS = 8_000;
/** A standby takes a head that has not changed for this long, by its own monotonic clock. */
export const SILENT_MS = 20_000;

/** How often a swap is tried again after a conflict with our own head. */
const TRIES = 2;

/** Returns the part of the head that changes. */
export type Change = (head: Head) => Partial<Omit<Head, "seq" | "lease">>;

export class HeldHead {
  readonly #store: ObjectStore;
  readonly #clock: WatchedClock;
  readonly #holder: string;
  /** With what was done since the last swap. */
  #head: Head;
  #tag: StoreTag;
  /** Monotonic (ms): when the last confirmed swap was *sent*. */
  #swappedAt: number;
  #lost: Failure | undefined;
  #swaps: Promise<unknown> = Promise.resolve();
  /** How often the clock had moved when the lease was taken. */
  readonly #movesBefore: number;

  private constructor(store: ObjectStore, clock: WatchedClock, held: { head: Head; tag: StoreTag; at: number }) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = held.head.lease.holder;
    this.#head = held.head;
    this.#tag = held.tag;
    this.#swappedAt = held.at;
    this.#movesBefore = clock.moves;
  }

  /**
   * Swaps `found` for a head of this holder. The caller has checked that it may. `opening` is the head with what the
   * first commit changes, so that taking the lease and the first commit are one swap. Throws `Failure` lease_held,
   * `StoreUnavailable`.
   */
  static async take(
    store: ObjectStore,
    clock: WatchedClock,
    { opening, holder, tag }: { readonly opening: Head; readonly holder: string; readonly tag: StoreTag | undefined },
  ): Promise<HeldHead> {
    const at = clock.monotonic();
    const now = clock.wall();
    const { lease, unfinished, doubted } = opening;
    const since = new Map([...unfinished.keys.map((key) => [key, now] as const), ...doubted]);
    const head: Head = {
      ...opening,
      seq: opening.seq + 1,
      // A put of the earlier holder may still arrive.
      doubted: [...since],
      lease: { epoch: Math.max(lease.epoch + 1, now), holder, renewedAt: now, ttlMs: LEASE_MS, released: false },
    };
    try {
      const stored = await store.put(
        HEAD_KEY,
        headObject(head),
        tag === undefined ? { ifAbsent: true } : { ifTag: tag },
      );
      return new HeldHead(store, clock, { head, tag: stored, at });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
      throw new Failure("lease_held", "another publisher has taken the lease");
    }
  }

  get head(): Head {
    return this.#head;
  }

  get epoch(): number {
    return this.#head.lease.epoch;
  }

  get renewalDue(): boolean {
    return this.age >= RENEW_MS;
  }

  /** A put of this key may still arrive. */
  doubt(key: string): void {
    const since = this.#clock.wall();
    this.note(({ doubted }) => ({ doubted: [...doubted.filter(([other]) => other !== key), [key, since]] }));
  }

  /** Throws `Failure` clock_moved if the clock has moved since the lease was taken. Nothing may be put then. */
  checkClock(): void {
    this.#noticeMove();
    if (this.#lost?.code === "clock_moved") throw this.#lost;
  }

  #noticeMove(): void {
    this.#clock.check();
    if (this.#clock.moves !== this.#movesBefore) this.#lost ??= clockMoved(this.#clock.movedMs);
  }

  /** Nothing may be put any more, and the lease may only be released. */
  stop(failure: Failure): void {
    this.#lost ??= failure;
  }

  /** Keeps what was done until the next swap. */
  note(change: Change): void {
    this.#head = { ...this.#head, ...change(this.#head) };
  }

  /**
   * Must be awaited before each put. Renews the lease if due. Throws unless a put that starts now ends before anybody
   * else can take the lease: `Failure` lease_lost, lease_expired, clock_moved, `StoreUnavailable`.
   */
  async beforePut(): Promise<void> {
    this.checkClock();
    // The timer renews earlier, unless a cycle is long. Of several puts at once, the first one renews.
    if (this.age >= LATE_MS)
      await this.#inTurn(async () => void (this.age >= LATE_MS && (await this.#swap(() => ({}), false))));
    if (this.#lost !== undefined) throw this.#lost;
    if (this.age <= LEASE_MS - PUT_LIMIT_MS) return;
    throw new Failure("lease_expired", "the lease could not be renewed in time, so nothing is written");
  }

  /** Stores the head with a change. Throws `Failure` lease_lost (75), `StoreUnavailable`. */
  swap(change: Change = () => ({})): Promise<void> {
    return this.#inTurn(() => this.#swap(change, false));
  }

  /** Releases the lease, so that the next publisher need not wait. Throws `Failure` lease_lost, `StoreUnavailable`. */
  release(change: Change = () => ({})): Promise<void> {
    return this.#inTurn(async () => {
      this.#noticeMove();
      if (!isClockFailure(this.#lost)) return await this.#swap(change, true);
      // This clock's time must not be published, so only the flag and the problem change.
      const { problems, lease, seq } = this.#head;
      const isMoved = this.#clock.moves !== this.#movesBefore;
      const moved: Head["problems"] = isMoved ? [...problems, ["clock_moved", 1]] : problems;
      await this.#put({ ...this.#head, problems: moved, seq: seq + 1, lease: { ...lease, released: true } });
    });
  }

  /** Milliseconds since the last confirmed swap was sent. */
  get age(): number {
    return this.#clock.monotonic() - this.#swappedAt;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#swaps.then(work);
    this.#swaps = result.catch(() => {
      // Its caller has the error; the next swap is independent of it.
    });
    return result;
  }

  async #swap(change: Change, released: boolean): Promise<void> {
    for (let tries = 0; tries <= TRIES; tries++) {
      this.checkClock();
      if (this.#lost !== undefined) throw this.#lost;
      const at = this.#clock.monotonic();
      const before = this.#head;
      const lease = { ...before.lease, renewedAt: this.#clock.wall(), released };
      const next = { ...before, ...change(before), seq: before.seq + 1, lease };
      const tag = await this.#put(next);
      if (tag !== undefined) {
        // Notes that were made during the put are kept.
        this.#head = this.#head === before ? next : { ...next, ...changesBetween(before, this.#head) };
        this.#tag = tag;
        this.#swappedAt = at;
        return;
      }
    }
    throw new StoreUnavailable("the store refuses to replace the head, although it is unchanged (412)", {
      hint: "A gateway may rewrite ETags: each put must compare If-Match with the ETag of the stored object.",
    });
  }

  /** Returns the new tag; undefined if the swap must be tried again. */
  async #put(next: Head): Promise<StoreTag | undefined> {
    try {
      return await this.#store.put(HEAD_KEY, headObject(next), { ifTag: this.#tag });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
    const found = await readHead(this.#store);
    if (found === undefined) return await this.#putLost(next);
    const { head, tag } = found;
    const isOurs = head?.lease.holder === this.#holder;
    // The response to this put was lost.
    if (isOurs && head.seq === next.seq && head.lease.renewedAt === next.lease.renewedAt) return tag;
    const isDamaged = head === undefined && this.age < LEASE_MS;
    const isOlder = head !== undefined && (head.lease.epoch < next.lease.epoch || (isOurs && head.seq < next.seq));
    if (isOurs || isDamaged || isOlder) {
      this.#tag = tag;
      if (isOlder) this.#head = continued(this.#head, head);
      // A response that was lost earlier may have stored a later `seq`.
      else if (head !== undefined) this.#head = { ...this.#head, seq: Math.max(this.#head.seq, head.seq) };
      return undefined;
    }
    this.#lost = new Failure("lease_lost", "another publisher has taken over the lease");
    throw this.#lost;
  }

  /** While our lease lasts, nobody else can have deleted the head and made another. */
  async #putLost(next: Head): Promise<StoreTag | undefined> {
    try {
      return await this.#store.put(HEAD_KEY, headObject(next), { ifAbsent: true });
    } catch (error) {
      if (error instanceof StoreConflict) return undefined;
      throw error;
    }
  }
}

/** An older head came back: everything after its log is unfinished, and the next swap is above both. */
function continued(own: Head, older: Head): Head {
  const since = Math.min(own.unfinished.since, older.log.size);
  const unfinished = { ...own.unfinished, since, until: 0, through: 0, keys: Object.keys(own.responses) };
  return { ...own, seq: Math.max(own.seq, older.seq), unfinished };
}

function changesBetween(before: Head, after: Head): Partial<Head> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== before[name as keyof Head] && name !== "seq"),
  );
}
