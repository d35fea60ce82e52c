/**
 * `noonmark fsck --repair` (docs/fsck.md#repair), under the lease if it is free. It rewrites every object as of now, checks
 * every tile, and deletes objects that no object refers to.
 */
import { setTimeout as wait } from "node:timers/promises";
import { systemClock, WatchedClock } from "../../publish/clock/clock.ts";
import { Known } from "../../publish/known.ts";
import type { Lease } from "../../publish/lease/lease.ts";
import { acquireForOneRun, type Candidate } from "../../publish/lease/take.ts";
import { checkOwner } from "../../publish/prefix-owner.ts";
import { Publisher, type Repair } from "../../publish/publisher.ts";
import { type LeaseGuard, putUnderLease } from "../../publish/put.ts";
import { leaseIdentity } from "../../publish/status/public-status.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import { fsck } from "../../src/fsck/fsck.ts";
import { kindOf } from "../../src/fsck/kind.ts";
import type { StoreFinding } from "../../src/fsck/rules.ts";
import { STATUS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, readOrDamaged, StoreDamaged } from "../../src/object-store/object-store.ts";
import { activityKey, activityTileKey, CATEGORIES } from "../../src/resources/activity/route.ts";
import { decodeHead, decodeIndexTile } from "../../src/resources/activity/stored-feed.ts";
import { Failure } from "../../src/values/failure.ts";
import { fieldsOf } from "../../src/values/unknown.ts";
import { chainTime } from "./publish/publish-once.ts";
import { publisherOptions } from "./publish/publisher-options.ts";
import { scrubIntervalOf } from "./publish/store-pace.ts";
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
    return await acquireForOneRun(candidate, (ms) => wait(ms));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "lease_held") throw error;
    const seconds = scrubIntervalOf(settings.store) / 1_000;
    throw new Failure(error.code, error.message, {
      hint: `That publisher rewrites damaged objects itself: it checks one object every ${seconds} s. To repair everything now, stop it first.`,
    });
  }
}

/** Throws the store's own errors, lease_… (75), and what stops a cycle. */
export async function repairStore({ store, fence, now, forget, forcedCycle }: Repair): Promise<void> {
  const before = await fsck(store, { now });
  // The lease object is ours: its release writes the right time.
  const fromFuture = before.findings.filter(({ rule, key }) => rule === "source-version-future" && key !== STATUS_KEY);
  for (const { key } of fromFuture) {
    await redate(store, fence, key, now);
    forget(key);
  }
  await forcedCycle();
  const { findings } = await fsck(store, { now });
  // A newer probe belongs to a process that is starting now.
  const left = new Set(before.findings.filter(({ rule }) => rule === "probe-left").map(({ key }) => key));
  const linkedTiles = findings.some(({ key }) => kindOf(key).is === "activity-tile")
    ? await readLinkedTiles(store)
    : undefined;
  for (const finding of findings) {
    // The forced cycle has found the newest log, so nothing refers to tiles of a later one.
    const later = finding.rule === "tile-log" ? await keysBelow(`${finding.key}/`, store) : [];
    for (const key of [...later, ...toDelete(finding, { linkedTiles, left })]) {
      await fence.beforePut();
      await store.delete(key);
    }
  }
}

/**
 * Rewrites an object from the future as of now, because it would stop every cycle. Its source version stays, so that
 * older sources still do not replace it.
 */
async function redate(store: ObjectStore, fence: LeaseGuard, key: string, now: number): Promise<void> {
  const found = await readOrDamaged(store, key);
  if (found === undefined || found instanceof StoreDamaged) return;
  const { tag, ...object } = found;
  const { epoch, writer } = fence;
  const sourceVersion = JSON.stringify({
    ...fieldsOf(JSON.parse(object.metadata["source-version"] ?? "{}")),
    at: now,
  });
  const metadata = { ...object.metadata, epoch: String(epoch), writer, "source-version": sourceVersion };
  await putUnderLease({ key, object: { ...object, metadata }, replaces: tag }, { store, fence });
}

async function keysBelow(prefix: string, store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

interface Named {
  /** Activity tiles that a head or an index tile names; undefined if no tile has a finding. */
  readonly linkedTiles: ReadonlySet<string> | undefined;
  /** Probes that existed before the forced cycle. */
  readonly left: ReadonlySet<string>;
}

/** The keys to delete for a finding. */
function toDelete({ rule, key }: StoreFinding, { linkedTiles, left }: Named): readonly string[] {
  if (rule === "probe-left") return left.has(key) ? [key] : [];
  const { is } = kindOf(key);
  const isUnlinked = linkedTiles !== undefined && is === "activity-tile" && !linkedTiles.has(key);
  return isUnlinked ? [key] : [];
}

/** Keys of the activity tiles that the heads and their index tiles name. */
async function readLinkedTiles(store: ObjectStore): Promise<ReadonlySet<string>> {
  const linkedTiles = new Set<string>();
  const textOf = async (key: string) => {
    const found = await readOrDamaged(store, key);
    return found === undefined || found instanceof StoreDamaged ? undefined : new TextDecoder().decode(found.body);
  };
  for (const category of CATEGORIES) {
    const text = await textOf(activityKey(category));
    const { tiles = [], indexes = [] } = (text === undefined ? undefined : decodeHead(text)) ?? {};
    for (const { name } of tiles) linkedTiles.add(activityTileKey(category, name));
    for (const { name, first } of indexes) {
      const key = activityTileKey(category, name);
      const entries = decodeIndexTile((await textOf(key)) ?? "");
      linkedTiles.add(key);
      for (const entry of [first, ...entries]) linkedTiles.add(activityTileKey(category, entry.name));
    }
  }
  return linkedTiles;
}
