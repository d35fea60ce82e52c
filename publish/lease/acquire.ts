/** How a publisher comes by the lease: at once where it may, as a standby where another holds it. */
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Clock } from "../schedule/clock.ts";
import type { Published } from "../state/published.ts";
import { Lease, type LeaseIdentity } from "./lease.ts";
import { heldBy, isFree, readLease } from "./lease-object.ts";
import { announce } from "./standby-record.ts";
import { PUT_LIMIT_MS } from "./timing.ts";

export interface Candidate {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly identity: LeaseIdentity;
  /** Held exclusively: a holder that wrote into it before us is dead. */
  readonly published: Published;
}

/** Takes the lease now, or throws `Failure` lease_held (75). */
export async function acquireNow(candidate: Candidate): Promise<Lease> {
  const { store, clock, published } = candidate;
  const found = await readLease(store);
  const mine = found !== undefined && isOurs(published, found.record.holder);
  if (found !== undefined && !mine && !isFree(found.record, clock.wall())) throw await heldBy(store, found.record);
  // Nobody else has put anything since we did: what we remember still stands. Otherwise it is read back.
  const trusted =
    (mine || found?.record.released === true) &&
    String(found?.record.epoch) === published.meta("epoch") &&
    published.meta("store") === store.name;
  return take(candidate, found, trusted);
}

async function take(
  { store, clock, identity, published }: Candidate,
  found: Awaited<ReturnType<typeof readLease>>,
  trusted: boolean,
): Promise<Lease> {
  // Written before the take, so that a death right after it leaves a lease that we know for our own.
  published.setMeta("writer", `${published.meta("writer") ?? ""} ${identity.holder}`);
  const lease = await Lease.take(store, clock, identity, found);
  if (!trusted) published.forgetAll();
  published.setMeta("epoch", String(lease.epoch));
  published.setMeta("store", store.name);
  published.setMeta("writer", identity.holder);
  // Answers never go back in time, whoever gave the last one.
  const last = Date.parse(found?.record.lastCycleAt ?? "");
  if (last > Number(published.meta("at") ?? 0)) published.setMeta("at", String(last));
  return lease;
}

/** Whether a process that had this state directory, and so is dead, took the lease. */
function isOurs(published: Published, holder: string): boolean {
  return (published.meta("writer") ?? "").split(" ").includes(holder);
}

/** The lease record as a standby last read it. */
interface SeenRecord {
  readonly renewal: string;
  /** Monotonic: since when this very record stands unchanged. */
  readonly since: number;
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
 * Waits for a holder to let go or fall silent. It trusts no timestamp but its own clock: a record that has stood
 * unchanged for its whole life and the time limit of a put has no living holder. It also makes itself known, so that
 * the holder renews faster.
 */
export function standby(candidate: Candidate): Standby {
  const { store, clock, identity, published } = candidate;
  let seen: SeenRecord | undefined;
  /** Monotonic: when a holder that stays silent is dead. */
  let deadAt = Number.POSITIVE_INFINITY;
  return {
    pause: () => Math.max(0, Math.min(POLL_MS, deadAt - clock.monotonic())),
    async tryAcquire() {
      const found = await readLease(store);
      if (found === undefined || isFree(found.record, clock.wall()) || isOurs(published, found.record.holder)) {
        return acquireNow(candidate);
      }
      await announce(store, identity.holder, clock.wall());
      const renewal = `${found.record.epoch} ${found.record.renewedAt}`;
      if (seen?.renewal !== renewal) seen = { renewal, since: clock.monotonic() };
      deadAt = seen.since + found.record.ttlMs + PUT_LIMIT_MS;
      if (clock.monotonic() < deadAt) return undefined;
      return take(candidate, found, false);
    },
  };
}
