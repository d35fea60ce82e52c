/**
 * What a publisher remembers is held against the store when it begins (docs/spec/publishing.md#damage): what was damaged,
 * deleted or put by somebody else meanwhile is not taken for published. Of other installations, and of the index's shards,
 * nothing is read here: there are many, and each is looked at when it first moves.
 */
import { isShardKey } from "../../src/http/installations.ts";
import { type ObjectStore, StoreDamaged } from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/keys.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { Published } from "../state/published.ts";
import { lostObject, publishedOrDamaged } from "./published-object.ts";

export interface LookedAt {
  readonly store: ObjectStore;
  readonly published: Published;
  /** Reads at once. */
  readonly concurrency: number;
}

/** One read of each. Throws `StoreUnavailable`. */
export async function lookAtPublished({ store, published, concurrency }: LookedAt): Promise<void> {
  const own = [...published.all()].filter(
    ({ key }) => parseInstallationTelemetryKey(key) === undefined && !isShardKey(key),
  );
  await eachLimited(own, concurrency, async (known) => {
    const found = await readOrDamaged(store, known.key);
    if (found === undefined || found instanceof StoreDamaged) published.remember(lostObject(known, found));
    else if (found.tag !== known.tag) published.remember(publishedOrDamaged(known.key, found));
  });
}
