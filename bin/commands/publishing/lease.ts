/** `noonmark lease release`: frees the lease of a holder that is gone for good. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { holderNameOf } from "../../../publish/lease/holder.ts";
import { forceRelease, hasExpired, readLease } from "../../../publish/lease/lease-record.ts";
import { StoreConflict } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { print } from "../../cli/messages.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";

export function registerLease(program: Command): void {
  const lease = program.command("lease").description("release the lease, which lets one publisher write");
  const release = lease
    .command("release")
    .description("free the lease of a holder that is known to be gone")
    .option("--force", "even if the holder renewed it a moment ago");
  settingOptions(release, ["store"]).action(async ({ force }: { force?: boolean }) => {
    await print(await releaseLease(loadSettings(release.opts(), ["store"]), force === true));
  });
}

/** Releases the lease. Reads it first, so that no store is created. Throws `Failure` lease_fresh (75). */
async function releaseLease(settings: Settings, force: boolean): Promise<string> {
  const store = await openConfiguredStore(settings, { write: false });
  const found = await readLease(store);
  if (found === undefined) return "nobody has ever held the lease";
  const { record } = found;
  const holderName = await holderNameOf(store, record);
  if (record.released) return `epoch ${record.epoch} of ${holderName} has been released already`;
  if (!force && !hasExpired(record, systemClock.wall())) {
    throw new Failure("lease_fresh", `${holderName} renewed the lease at ${record.renewedAt}: it may be alive`);
  }
  try {
    await forceRelease(await openConfiguredStore(settings, { write: true }), found);
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error;
    throw new Failure("lease_fresh", "the lease was written a moment ago: its holder may be alive");
  }
  return `released epoch ${record.epoch} of ${holderName}`;
}
