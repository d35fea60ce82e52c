/** `noonmark lease`: who may publish, and the operator's way out where a holder is gone for good. */

import type { Command } from "commander";
import { forceRelease, readLease } from "../../publish/lease/lease-object.ts";
import { openConfiguredStore } from "../cli/open-configured-store.ts";
import { loadSettings, settingOptions } from "../cli/settings.ts";

export function registerLease(program: Command): void {
  const lease = program.command("lease").description("show or release the one writer's lease");
  const show = lease.command("show").description("who holds it").option("--json", "as one JSON object");
  settingOptions(show, ["store"]).action(async ({ json }: { json?: boolean }) => {
    const store = await openConfiguredStore(loadSettings(show.opts()), { write: false });
    const record = (await readLease(store))?.record;
    if (json === true) console.log(JSON.stringify(record ?? null));
    else if (record === undefined) console.log(`${store.name}: nobody has ever held the lease`);
    else {
      const { holderName, epoch, renewedAt, ttlMs, released } = record;
      const state = released ? "released" : `held by ${holderName}`;
      console.log(`${store.name}: ${state}, epoch ${epoch}, renewed ${renewedAt}, for ${ttlMs / 1000} s`);
    }
  });
  const release = lease
    .command("release")
    .description("let the next publisher take it at once; only where the holder is known to be gone");
  settingOptions(release, ["store"]).action(async () => {
    const store = await openConfiguredStore(loadSettings(release.opts()), { write: true });
    const record = await forceRelease(store);
    console.log(
      record === undefined
        ? "nobody has ever held the lease"
        : `released epoch ${record.epoch} of ${record.holderName}`,
    );
  });
}
