/**
 * The lease of the one writer (docs/spec/publishing.md#one-writer), taken and renewed by compare-and-swap.
 *
 * S3 and R2 compute an object's tag from its body alone, so a conditional put does not stop an earlier holder. Instead, a
 * put starts only if the lease lasts longer than the time limit of a put. A standby waits for both times, by its own clock,
 * before it takes over.
 */

import { STATUS_KEY } from "../../src/http/keys.ts";
import {
  type ObjectStore,
  PUT_LIMIT_MS,
  StoreConflict,
  type StoreTag,
  StoreUnavailable,
} from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { FORMAT_VERSION } from "../../src/values/format.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { WatchedClock } from "../clock/clock.ts";
import { clockMoved, isClockFailure, StoreSkew } from "../clock/judge.ts";
import { heldBy } from "./holder.ts";
import {
  type Checkpoint,
  DEFAULT_PACE,
  type FoundLease,
  findLease,
  inheritedReport,
  type LeaseIdentity,
  type LeaseRecord,
  leaseObject,
  lostTo,
  publicName,
  STANDBY_PACE,
  writeId,
} from "./lease-record.ts";
import { StandbyWatch } from "./standby-record.ts";

/** The fields that the holder updates with each renewal. */
export type StatusUpdate = Partial<
  Pick<LeaseRecord, "lastCycleAt" | "nextCycleAt" | "checkpoint" | "report" | "public" | "released" | "epoch">
>;

interface LeaseDependencies {
  readonly store: ObjectStore;
  readonly clock: WatchedClock;
  readonly identity: LeaseIdentity;
  readonly skew: StoreSkew;
}

export class Lease {
  readonly writer: string;
  /** Host and process id. */
  readonly holderName: string;
  readonly #store: ObjectStore;
  readonly #clock: WatchedClock;
  readonly #standby: StandbyWatch;
  readonly #skew: StoreSkew;
  #record: LeaseRecord;
  #tag: StoreTag;
  /** Monotonic (ms): when the last successful renewal was *sent*. */
  #renewedAt: number;
  /** How often the clock had moved when the lease was taken. */
  readonly #movesBefore: number;
  #lost: Failure | undefined;
  #statusUpdate: () => StatusUpdate = () => ({});
  /** Concurrent puts share one renewal. */
  #renewal: Promise<void> | undefined;

  private constructor(
    { store, clock, identity, skew }: LeaseDependencies,
    held: { record: LeaseRecord; tag: StoreTag; at: number },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#skew = skew;
    this.#standby = new StandbyWatch(store, () => clock.wall(), identity.holder);
    this.#record = held.record;
    this.#tag = held.tag;
    this.#renewedAt = held.at;
    this.#movesBefore = clock.moves;
    this.writer = identity.holder;
    this.holderName = identity.holderName;
  }

  /**
   * Replaces `found`. The caller has checked that it may (`isFree`, `standby`). Throws `Failure` lease_held (75) if somebody
   * else was quicker, or clock_skew.
   */
  static async take(
    store: ObjectStore,
    clock: WatchedClock,
    identity: LeaseIdentity,
    found: FoundLease | undefined,
  ): Promise<Lease> {
    const skew = new StoreSkew(store, clock);
    await skew.check();
    const at = clock.monotonic();
    const before = found?.record?.public ?? null;
    const record: LeaseRecord = {
      schemaVersion: FORMAT_VERSION,
      epoch: (found?.epoch ?? 0) + 1,
      holder: identity.holder,
      holderName: publicName(identity.holder),
      ttlMs: DEFAULT_PACE.ttlMs,
      renewedAt: formatTimestamp(clock.wall()),
      clockSkewMs: skew.reportedMs,
      clockMoved: false,
      released: false,
      lastCycleAt: found?.record?.lastCycleAt ?? null,
      nextCycleAt: null,
      checkpoint: found?.record?.checkpoint ?? null,
      report: inheritedReport(found?.record?.report),
      public: identity.opening === undefined ? before : identity.opening(before),
    };
    try {
      const tag = await store.put(
        STATUS_KEY,
        leaseObject(record),
        found === undefined ? { ifAbsent: true } : { ifTag: found.tag },
      );
      return new Lease({ store, clock, identity, skew }, { record, tag, at });
    } catch (error) {
      if (error instanceof StoreConflict) throw await heldBy(store, (await findLease(store))?.record);
      throw error;
    }
  }

  /** Sets the update that every renewal writes, including renewals before a put. */
  onRenewal(statusUpdate: () => StatusUpdate): void {
    this.#statusUpdate = statusUpdate;
  }

  /** The published checkpoint. It is the previous holder's until this one has written one. */
  get checkpoint(): Checkpoint | null {
    return this.#record.checkpoint;
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  /** The last write of the record that the store has confirmed. */
  get lastWrite(): string {
    return writeId(this.#tag, this.#record);
  }

  /**
   * Raises the epoch above one that an object has. That is needed after the lease object was lost, because epochs then began
   * at 1 again. Throws `Failure` lease_lost (75) if somebody else has taken the lease.
   */
  async raiseAbove(epoch: number): Promise<void> {
    while (epoch >= this.epoch) await this.renew({ epoch: epoch + 1 });
  }

  /** Milliseconds since the last successful renewal was sent. */
  get age(): number {
    return this.#clock.monotonic() - this.#renewedAt;
  }

  /** Throws `Failure` clock_moved if the clock has moved since the lease was taken. Nothing may be put then. */
  checkClock(): void {
    this.#clock.check();
    if (this.#clock.moves !== this.#movesBefore) this.#lost ??= clockMoved(this.#clock.movedMs);
    if (this.#lost?.code === "clock_moved") throw this.#lost;
  }

  /** Must be awaited before each put. Renews if due. Throws unless the lease outlasts a put that starts now. */
  async beforePut(): Promise<void> {
    if (this.renewalDue) await this.renew({});
    this.checkClock();
    if (this.#lost !== undefined) throw this.#lost;
    if (!this.#isAlive) {
      throw new Failure("lease_expired", "the lease could not be renewed in time, so nothing is written");
    }
  }

  /** True if the lease outlasts a put that starts now. */
  get #isAlive(): boolean {
    return this.#clock.monotonic() - this.#renewedAt <= this.#record.ttlMs - PUT_LIMIT_MS;
  }

  /** True if the lease must be renewed. */
  get renewalDue(): boolean {
    const renewMs = this.#record.ttlMs === DEFAULT_PACE.ttlMs ? DEFAULT_PACE.renewMs : STANDBY_PACE.renewMs;
    return this.#clock.monotonic() - this.#renewedAt >= renewMs;
  }

  /** Writes the record with the current status. Throws `Failure` lease_lost (75), clock_skew or clock_moved. */
  renew(update: StatusUpdate): Promise<void> {
    this.#renewal ??= this.#renew(update).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(update: StatusUpdate): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const pace = (await this.#standby.isAwaited()) ? STANDBY_PACE : DEFAULT_PACE;
    // The response to the last read carried the store's time.
    await this.#skew.check().catch((error: unknown) => {
      if (error instanceof Failure) this.#lost = error;
      throw error;
    });
    const at = this.#clock.monotonic();
    const record = {
      ...this.#record,
      ...this.#statusUpdate(),
      ...update,
      ttlMs: pace.ttlMs,
      renewedAt: formatTimestamp(this.#clock.wall()),
      clockSkewMs: this.#skew.reportedMs,
    };
    this.checkClock();
    this.#tag = await this.#swap(record);
    this.#record = record;
    this.#renewedAt = at;
  }

  /** Marks the lease as released, so that the next publisher need not wait. */
  async release(update: StatusUpdate): Promise<void> {
    await this.#renewal?.catch(() => {
      // The next lines check if the lease is still ours.
    });
    try {
      if (this.#lost === undefined) return await this.renew({ ...update, released: true });
    } catch (error) {
      if (!isClockFailure(error)) throw error;
    }
    // The lease may still be ours, but this clock's time must not be published: only the flags change. If the machine slept,
    // somebody else may have the lease.
    if (!isClockFailure(this.#lost)) return;
    const { lastCycleAt = this.#record.lastCycleAt } = this.#statusUpdate();
    // The store's clock may have shown the move first.
    this.#clock.check();
    const record = {
      ...this.#record,
      lastCycleAt,
      released: true,
      clockMoved: this.#clock.moves !== this.#movesBefore,
    };
    const put = (ifTag: StoreTag) => this.#store.put(STATUS_KEY, leaseObject(record), { ifTag });
    try {
      this.#tag = await put(this.#tag).catch(async (error) => {
        // A renewal without a response may have put our own record.
        const found = error instanceof StoreConflict ? await findLease(this.#store) : undefined;
        if (found?.record?.holder !== this.writer) throw error;
        return put(found.tag);
      });
      this.#record = record;
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }

  /**
   * Replaces our last record. After a conflict the stored record may still be ours: the response to this put, or to an
   * earlier one that timed out, was lost. A store that refuses our own tag is tried twice.
   */
  async #swap(record: LeaseRecord, tries = 2): Promise<StoreTag> {
    const object = leaseObject(record);
    try {
      return await this.#store.put(STATUS_KEY, object, { ifTag: this.#tag });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
    const found = await findLease(this.#store);
    const stored = found?.record;
    const isOwn = stored?.holder === this.writer && stored.released === record.released;
    if (isOwn && stored.renewedAt === record.renewedAt) return found?.tag ?? this.#tag;
    // While our lease lasts, nobody else can have written it: a damaged record is rewritten.
    const isDamaged = found !== undefined && stored === undefined && this.#isAlive;
    if (found !== undefined && (isOwn || isDamaged)) {
      this.#tag = found.tag;
      if (tries > 1) return this.#swap(record, tries - 1);
      throw new StoreUnavailable("the store refuses to replace the lease, although it is unchanged (412)", {
        hint: "A gateway may rewrite ETags: each put must compare If-Match with the ETag of the stored object.",
      });
    }
    this.#lost = lostTo(stored);
    throw this.#lost;
  }
}
