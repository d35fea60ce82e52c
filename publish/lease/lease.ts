/**
 * One writer (docs/spec/publishing.md#one-writer): a lease object taken and renewed by compare-and-swap. Its epoch and
 * its holder's token stand in every object that is put. S3 and R2 hash only the body into their tags, so a condition
 * alone is no fence: no put may start unless the lease outlasts the put's time limit, and whoever takes a lease over
 * from a holder that fell silent has waited out both on its own clock.
 */

import { STATUS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, StoreConflict, type StoreTag } from "../../src/object-store/object-store.ts";
import type { PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { type Clock, hostWall, MOVE_ALLOWANCE_MS, movedBy } from "../clock/clock.ts";
import { StoreSkew } from "./clock-skew.ts";
import { type FoundLease, findLease, heldBy, leaseObject, lostTo } from "./lease-object.ts";
import { carriedOver, type LeaseRecord, publicName, type SettledPoint } from "./lease-record.ts";
import { StandbyWatch } from "./standby-record.ts";
import { CALM, PUT_LIMIT_MS, WATCHED } from "./timing.ts";

export interface LeaseIdentity {
  readonly holder: string;
  /** Host and process id; for the operator alone. */
  readonly holderName: string;
  /** What `/status.json` says until the first cycle has ended, given what it said before; absent: the same. */
  readonly opening?: (before: PublicRecord | null) => PublicRecord | null;
}

/** What the holder tells with each renewal. */
export type LeaseNews = Partial<
  Pick<LeaseRecord, "lastCycleAt" | "nextCycleAt" | "settled" | "report" | "public" | "released" | "epoch">
>;

interface Surroundings {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly identity: LeaseIdentity;
  readonly skew: StoreSkew;
}

export class Lease {
  readonly writer: string;
  /** Host and process id. */
  readonly holderName: string;
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #standby: StandbyWatch;
  readonly #skew: StoreSkew;
  #record: LeaseRecord;
  #tag: StoreTag;
  /** Monotonic: when the renewal that counts was *sent*. */
  #renewedAt: number;
  /** How far the host's wall clock was ahead of the monotonic one at that time (ms). */
  #apart: number;
  #lost: Failure | undefined;
  #newest: () => LeaseNews = () => ({});
  /** Puts that run side by side share one renewal. */
  #renewal: Promise<void> | undefined;

  private constructor(
    { store, clock, identity, skew }: Surroundings,
    held: { record: LeaseRecord; tag: StoreTag; at: number },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#skew = skew;
    this.#standby = new StandbyWatch(store, () => clock.wall(), identity.holder);
    this.#record = held.record;
    this.#tag = held.tag;
    this.#renewedAt = held.at;
    this.#apart = hostWall(clock) - held.at;
    this.writer = identity.holder;
    this.holderName = identity.holderName;
  }

  /**
   * Takes the lease from `found`. The caller has made sure that it may: see `isFree`, and
   * `standby` for a holder that fell silent. Throws `Failure` lease_held (75) where somebody else was quicker, or
   * clock_skew.
   */
  static async take(
    store: ObjectStore,
    clock: Clock,
    identity: LeaseIdentity,
    found: FoundLease | undefined,
  ): Promise<Lease> {
    const skew = new StoreSkew(store, clock);
    await skew.check();
    const at = clock.monotonic();
    const before = found?.record?.public ?? null;
    const record: LeaseRecord = {
      schemaVersion: 1,
      epoch: (found?.epoch ?? 0) + 1,
      holder: identity.holder,
      holderName: publicName(identity.holder),
      ttlMs: CALM.ttlMs,
      renewedAt: formatTimestamp(clock.wall()),
      clockSkewMs: skew.telling,
      clockMovedMs: movedBy(clock) || null,
      released: false,
      lastCycleAt: found?.record?.lastCycleAt ?? null,
      nextCycleAt: null,
      settled: found?.record?.settled ?? null,
      report: carriedOver(found?.record?.report),
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

  /** What each renewal tells, whoever asks for it: one that a put needs says as much as any other. */
  tell(newest: () => LeaseNews): void {
    this.#newest = newest;
  }

  /** As the record tells it: the last holder's until this one has told its own. */
  get settled(): SettledPoint | null {
    return this.#record.settled;
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  /**
   * The lease object had been lost and epochs began anew below what the store's objects say: takes an epoch above that,
   * the lease first. Throws `Failure` lease_lost (75) where somebody else has taken the lease.
   */
  async raiseAbove(epoch: number): Promise<void> {
    while (epoch >= this.epoch) await this.renew({ epoch: epoch + 1 });
  }

  /** Milliseconds since the renewal that counts was sent. */
  get age(): number {
    return this.#clock.monotonic() - this.#renewedAt;
  }

  /** How far the clock that we publish with is ahead of the store's (ms); undefined where that is not known. */
  get clockOffset(): number | undefined {
    return this.#skew.offset;
  }

  /** The same of the host's own clock. */
  get hostClockOffset(): number | undefined {
    return this.#skew.hostOffset;
  }

  /** To be awaited before each put: renews where it is time, and throws unless the lease outlasts a put begun now. */
  async beforePut(): Promise<void> {
    if (this.renewalDue) await this.renew({});
    if (this.#lost !== undefined) throw this.#lost;
    if (!this.#isAlive) {
      throw new Failure("lease_expired", "the lease could not be renewed in time, so nothing is put", {
        exit: EXIT.locked,
      });
    }
  }

  /** Whether the lease outlasts a put that begins now. */
  get #isAlive(): boolean {
    return this.#clock.monotonic() - this.#renewedAt <= this.#record.ttlMs - PUT_LIMIT_MS;
  }

  /** In time, and at once where the clocks have drifted apart: a machine that slept cannot know how long. */
  get renewalDue(): boolean {
    const drift = hostWall(this.#clock) - this.#clock.monotonic() - this.#apart;
    if (Math.abs(drift) > MOVE_ALLOWANCE_MS) return true;
    const renewMs = this.#record.ttlMs === CALM.ttlMs ? CALM.renewMs : WATCHED.renewMs;
    return this.#clock.monotonic() - this.#renewedAt >= renewMs;
  }

  /** Writes the record anew with what has happened since. Throws `Failure` lease_lost (75), or clock_skew. */
  renew(news: LeaseNews): Promise<void> {
    this.#renewal ??= this.#renew(news).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(news: LeaseNews): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const pace = (await this.#standby.isAwaited()) ? WATCHED : CALM;
    // The answer just given has told the store's time.
    await this.#skew.check().catch((error: unknown) => {
      if (error instanceof Failure) this.#lost = error;
      throw error;
    });
    const at = this.#clock.monotonic();
    const apart = hostWall(this.#clock) - at;
    const record = {
      ...this.#record,
      ...this.#newest(),
      ...news,
      ttlMs: pace.ttlMs,
      renewedAt: formatTimestamp(this.#clock.wall()),
      clockSkewMs: this.#skew.telling,
      clockMovedMs: movedBy(this.#clock) || null,
    };
    this.#tag = await this.#swap(record);
    this.#record = record;
    this.#renewedAt = at;
    this.#apart = apart;
  }

  /** Lets go, so that the next one need not wait. */
  async release(news: LeaseNews): Promise<void> {
    await this.#renewal?.catch(() => {
      // The next lines ask if the lease is still ours.
    });
    if (this.#lost === undefined) return this.renew({ ...news, released: true });
    // Still ours, but nothing may carry this clock's time: the record stays as it is, and is free.
    if (this.#lost.code === "clock_skew") this.#tag = await this.#swap({ ...this.#record, released: true });
  }

  /**
   * Puts the record in the place of our last one. Where another stands there it may be our own all the same: the answer
   * to this put was lost, or to an earlier one that we had to give up.
   */
  async #swap(record: LeaseRecord): Promise<StoreTag> {
    const object = leaseObject(record);
    try {
      return await this.#store.put(STATUS_KEY, object, { ifTag: this.#tag });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
    const found = await findLease(this.#store);
    const theirs = found?.record;
    const isOwn = theirs?.holder === this.writer && theirs.released === record.released;
    if (isOwn && theirs.renewedAt === record.renewedAt) return found?.tag ?? this.#tag;
    // Damaged under a holder that lives: within its life nobody else has taken the lease, and it is put anew.
    const isDamaged = found !== undefined && theirs === undefined && this.#isAlive;
    if (found !== undefined && (isOwn || isDamaged)) {
      this.#tag = found.tag;
      return this.#swap(record);
    }
    this.#lost = lostTo(theirs, this.writer);
    throw this.#lost;
  }
}
