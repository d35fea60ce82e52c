/** The store and its lease. A missing directory is not made. */
import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isFree, readLease } from "../../../publish/lease/lease-record.ts";
import { holderNameOf } from "../../../publish/status/private-status.ts";
import { provenSkew } from "../../../src/object-store/clock-offset.ts";
import { STORE_MARK } from "../../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import { hasClock } from "../../../src/object-store/object-store.ts";
import { openConfiguredStore } from "../open-configured-store.ts";
import type { Settings } from "../settings/settings.ts";
import { duration } from "../status/print-publication.ts";
import { type Finding, fine, wrong } from "./finding.ts";
import { nearestThere } from "./local.ts";

/** Difference of the clocks of host and store, ms; from a minute on a publisher puts nothing. */
const TOLERATED_MS = 2_000;

/** Opened as a writer does: rights and conditions are tested. `now` in epoch ms. Throws `Failure`, `StoreUnavailable`. */
export async function examineStore(settings: Settings, now: () => number): Promise<Finding[]> {
  const place = storeLocation(settings.store);
  if (place?.kind === "directory" && !existsSync(join(place.path, STORE_MARK))) return [newDirectory(place.path)];
  const store = await openConfiguredStore(settings, { write: true });
  const found = await readLease(store);
  const findings = [fine("store", `${store.name}: read, written${place?.kind === "s3" ? ", conditions judged" : ""}`)];
  if (hasClock(store)) {
    const skew = provenSkew(await store.measureClock(now));
    const text = `${duration(Math.abs(skew) / 1000)} ${skew < 0 ? "behind" : "ahead of"} the store's`;
    const apart = Math.abs(skew) > TOLERATED_MS;
    findings.push(apart ? wrong("clock", text, "Set this host's clock right (NTP).") : fine("clock", text));
  }
  if (found === undefined) return [...findings, fine("lease", "nobody has ever held it")];
  const { epoch, renewedAt, released } = found.record;
  const age = `${duration((now() - Date.parse(renewedAt)) / 1000)} ago`;
  const held = isFree(found.record, now()) ? "silent, free to take" : "a second publisher waits as standby";
  const state = released
    ? `released ${age}`
    : `held by ${await holderNameOf(store, found.record)}, renewed ${age}: ${held}`;
  return [...findings, fine("lease", `epoch ${epoch}, ${state}`)];
}

function newDirectory(path: string): Finding {
  const place = nearestThere(resolve(path));
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return fine("store", `${path}: publish will make it`);
  } catch {
    return wrong("store", `${place} cannot be written by this user`, "Give this user the right, or set --store.");
  }
}
