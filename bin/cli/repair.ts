/** Runs `noonmark fsck --repair` under the lease, if it is free. */
import { setTimeout as wait } from "node:timers/promises";
import { systemClock, WatchedClock } from "../../publish/clock/clock.ts";
import { Known } from "../../publish/known.ts";
import type { Lease } from "../../publish/lease/lease.ts";
import { acquireOnce, type Candidate } from "../../publish/lease/take.ts";
import { checkOwner } from "../../publish/prefix-owner.ts";
import { Publisher } from "../../publish/publisher.ts";
import { leaseIdentity } from "../../publish/status/public-status.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { chainTime } from "./publish/publish-once.ts";
import { publisherOptions } from "./publish/publisher-options.ts";
import { scrubIntervalOf } from "./publish/store-pace.ts";
import { repairStore } from "./repair-store.ts";
import type { Settings } from "./settings/settings.ts";
import { openSources } from "./sources.ts";

/** Throws `Failure` lease_held (75) if a publisher is running, because it repairs the store itself. */
export async function repair(settings: Settings, store: ObjectStore): Promise<void> {
  const clock = new WatchedClock(systemClock);
  const now = () => clock.wall();
  // The state directory may belong to a publisher. So a repair uses none, and reads every object.
  const known = Known.inMemory();
  const { reader, chain } = await openSources(settings, { state: "copy", whole: true, now });
  try {
    await pollUntilConcluded(chain, now, now() + chainTime(settings.deadline * 1_000));
    const options = { ...publisherOptions(settings, { force: true }, { store, reader, clock }), known };
    const check = () => checkOwner(options);
    const lease = await acquired(
      { store, clock, identity: leaseIdentity(options), known, check, repairs: true },
      settings,
    );
    // Repairs as of now, even if a later instant was published: the repair corrects that.
    await Publisher.hold(options, lease, (publisher) => publisher.repair(now(), repairStore));
  } finally {
    reader.close();
    known.close();
  }
}

async function acquired(candidate: Candidate, settings: Settings): Promise<Lease> {
  try {
    return await acquireOnce(candidate, (ms) => wait(ms));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "lease_held") throw error;
    const seconds = scrubIntervalOf(settings) / 1_000;
    const pace =
      seconds === 0 ? "with scrubInterval 0 it checks none by itself" : `it checks one object every ${seconds} s`;
    throw new Failure(error.code, error.message, {
      hint: `That publisher rewrites damaged objects itself: ${pace}. To repair everything now, stop it first.`,
    });
  }
}
