/**
 * `noonmark fsck --repair` (docs/fsck.md#repair): puts right what the sources can give, under the lease. Everything is put
 * as of now, every tile is read, and what an earlier publisher put and none puts now, or no head leads to, is deleted.
 */
import { type FsckReport, fsck, fsckKeys } from "../src/fsck/fsck.ts";
import { kindOf } from "../src/fsck/kind.ts";
import type { Finding } from "../src/fsck/rules.ts";
import { STATUS_KEY } from "../src/http/keys.ts";
import { type ObjectStore, StoreDamaged } from "../src/object-store/object-store.ts";
import { readOrDamaged } from "../src/object-store/read-or-damaged.ts";
import { activityKey, activityTileKey, CATEGORIES } from "../src/resources/activity/keys.ts";
import { decodeHead, decodeIndexTile } from "../src/resources/activity/stored-feed.ts";
import { leaseClaim } from "./lease/lease-claim.ts";
import { parsePrivateStatus } from "./lease/private-status.ts";
import { type Fence, putUnderLease } from "./put.ts";

export interface Repair {
  readonly store: ObjectStore;
  readonly fence: Fence;
  /** Epoch ms. */
  readonly now: number;
  /** Drops everything remembered about an object. */
  forget(key: string): void;
  /** A cycle that puts everything and mends every tile. */
  forcedCycle(): Promise<void>;
}

export function examine(store: ObjectStore, now: number): Promise<FsckReport> {
  return fsck(store, { now, parseLease: leaseClaim, parsePrivateStatus });
}

/** The same for some keys alone, object by object. */
export function examineKeys(store: ObjectStore, keys: readonly string[], now: number): Promise<readonly Finding[]> {
  return fsckKeys(store, keys, { now, parseLease: leaseClaim, parsePrivateStatus });
}

/** Throws the store's own errors, lease_… (75), and what stops a cycle. */
export async function repairStore({ store, fence, now, forget, forcedCycle }: Repair): Promise<void> {
  const before = await examine(store, now);
  // The lease itself is ours by now: it tells the right time once it is let go.
  const fromFuture = before.findings.filter(({ rule, key }) => rule === "asof-future" && key !== STATUS_KEY);
  for (const { key } of fromFuture) {
    await redate(store, fence, key, now);
    forget(key);
  }
  await forcedCycle();
  const { findings } = await examine(store, now);
  // One that came meanwhile is of a start that is under way.
  const left = new Set(before.findings.filter(({ rule }) => rule === "probe-left").map(({ key }) => key));
  const led = findings.some(({ key }) => kindOf(key).is === "activity-tile") ? await tilesLedTo(store) : undefined;
  for (const finding of findings) {
    for (const key of await toDelete(store, finding, { led, left })) {
      await fence.beforePut();
      await store.delete(key);
    }
  }
}

/**
 * An object from the future stops every cycle. It is put as of now, with what it says that it was computed from, so that
 * sources that are behind it still put nothing over it.
 */
async function redate(store: ObjectStore, fence: Fence, key: string, now: number): Promise<void> {
  const found = await readOrDamaged(store, key);
  if (found === undefined || found instanceof StoreDamaged) return;
  const { tag, ...object } = found;
  const { epoch, writer } = fence;
  const asof = JSON.stringify({ ...(JSON.parse(object.metadata.asof ?? "{}") as object), at: now });
  const metadata = { ...object.metadata, epoch: String(epoch), writer, asof };
  await putUnderLease({ key, object: { ...object, metadata }, replaces: tag }, { store, fence });
}

interface Named {
  /** Tiles of the activity that a head leads to; undefined if none was found to be wrong. */
  readonly led: ReadonlySet<string> | undefined;
  /** Probes that were there before the forced cycle. */
  readonly left: ReadonlySet<string>;
}

/** What nobody puts, nobody reads, or nobody is led to. */
async function toDelete(store: ObjectStore, { rule, key }: Finding, { led, left }: Named) {
  if (rule === "probe-left") return left.has(key) ? [key] : [];
  // Its key is that of a history, and none of an object.
  if (rule === "tile-history") return listed(store, `${key}/`);
  const { is } = kindOf(key);
  if (is === "foreign") return (await isPublished(store, key)) ? [key] : [];
  const isUnled = led !== undefined && is === "activity-tile" && !led.has(key);
  return isUnled ? [key] : [];
}

/** Whether a publisher put it, of whatever version. What is somebody else's is left: the store may be named wrongly. */
async function isPublished(store: ObjectStore, key: string): Promise<boolean> {
  const found = await readOrDamaged(store, key);
  if (found === undefined || found instanceof StoreDamaged) return false;
  return found.metadata.epoch !== undefined && found.metadata.writer !== undefined && found.metadata.asof !== undefined;
}

async function listed(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** Keys of the activity's tiles that the heads name, themselves or by an index tile. */
async function tilesLedTo(store: ObjectStore): Promise<ReadonlySet<string>> {
  const led = new Set<string>();
  const textOf = async (key: string) => {
    const found = await readOrDamaged(store, key);
    return found === undefined || found instanceof StoreDamaged ? undefined : new TextDecoder().decode(found.body);
  };
  for (const category of CATEGORIES) {
    const text = await textOf(activityKey(category));
    const { tiles = [], indexes = [] } = (text === undefined ? undefined : decodeHead(text)) ?? {};
    for (const { name } of tiles) led.add(activityTileKey(category, name));
    for (const { name, first } of indexes) {
      const key = activityTileKey(category, name);
      const entries = decodeIndexTile((await textOf(key)) ?? "");
      led.add(key);
      for (const entry of [first, ...entries]) led.add(activityTileKey(category, entry.name));
    }
  }
  return led;
}
