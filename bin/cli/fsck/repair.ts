/** `noonmark fsck --repair`: under the lease where it is free, by its holder where one lives. */
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../../publish/clock/clock.ts";
import { SteadyClock } from "../../../publish/clock/steady-clock.ts";
import { type Candidate, standby } from "../../../publish/lease/acquire.ts";
import type { Lease } from "../../../publish/lease/lease.ts";
import { findLease, heldBy } from "../../../publish/lease/lease-object.ts";
import { Publisher } from "../../../publish/publisher.ts";
import { Published } from "../../../publish/state/published.ts";
import { leaseIdentity } from "../../../publish/status/lease-identity.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { chainTime } from "../publish/deadline-store.ts";
import { publisherOptions } from "../publish/publisher-options.ts";
import type { Settings } from "../settings/settings.ts";
import { openSources } from "../sources.ts";

/** By this process or by the holder. Throws `Failure` lease_held (75) where the holder does not in the settings' deadline. */
export async function repair(settings: Settings, store: ObjectStore): Promise<void> {
  const clock = new SteadyClock(systemClock);
  const now = () => clock.wall();
  const asked = crypto.randomUUID();
  const limitMs = settings.deadline * 1_000;
  // The state directory may be a publisher's: nothing is remembered, everything is read back.
  const published = Published.inMemory();
  const { reader, chain } = await openSources(settings, { state: "copy", whole: true, now });
  try {
    await pollUntilConcluded(chain, now, now() + chainTime(limitMs));
    const opened = { store, reader, clock, minimumPutInterval: 0 };
    const options = { ...publisherOptions(settings, { force: true }, opened), published };
    const candidate = { store, clock, identity: leaseIdentity(options), published, repair: asked };
    const lease = await leaseOrDone(candidate, limitMs);
    if (lease === undefined) return;
    // As of now, also if something was published as of later: that is what is put right.
    await Publisher.hold(options, lease, (publisher) => publisher.repair(publisher.now(now())));
  } finally {
    reader.close();
    published.close();
  }
}

/** The lease once it is free; undefined once its holder says that it has repaired what it was asked to. */
async function leaseOrDone(candidate: Candidate, limitMs: number): Promise<Lease | undefined> {
  const { store, clock, repair: asked } = candidate;
  const attempts = standby(candidate);
  const end = clock.monotonic() + limitMs;
  for (;;) {
    const lease = await attempts.tryAcquire();
    if (lease !== undefined) return lease;
    const record = (await findLease(store))?.record;
    if (record?.report.repaired === asked) return undefined;
    if (clock.monotonic() >= end) throw await heldBy(store, record);
    await wait(attempts.pause());
  }
}
