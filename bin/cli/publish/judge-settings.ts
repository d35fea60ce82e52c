/** Checks the settings and flags that only `publish` needs, before it touches a store, a state directory or a lease. */
import { isAbsolute, relative, resolve } from "node:path";
import { namedIds } from "../../../publish/report.ts";
import type { SourceReader } from "../../../publish/sources/source-reader.ts";
import { installationRowId, listInstallations } from "../../../src/ledger/watermarks.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import { Failure } from "../../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../src/values/freshness.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { required } from "../settings/load-settings.ts";
import { SETTINGS, type Settings } from "../settings/settings.ts";

/**
 * `now` is in epoch ms. Throws `Failure`: invalid_setting, genesis_contradicted, or as `readDeployment`.
 */
export async function judgeSettings(settings: Settings, now: number): Promise<void> {
  required(settings, "installationId");
  await judgeCadence(settings.cadence);
  judgePlaces(settings);
  judgeGenesis(settings, now);
  if (settings.deployment === undefined) return;
  // This module is needed only if a chain is configured.
  const { readDeployment } = await import("../../../src/chain/deployment.ts");
  readDeployment(settings.deployment);
}

/** Fails with exit 1, so that a service manager restarts the publisher until the host's clock is right. */
function judgeGenesis({ genesisTimestamp }: Settings, now: number): void {
  if (genesisTimestamp === undefined || genesisTimestamp * 1000 - now <= FUTURE_ALLOWANCE_MS) return;
  const [genesis, clock] = [formatTimestamp(genesisTimestamp * 1000), formatTimestamp(now)];
  throw new Failure(
    "genesis_contradicted",
    `genesisTimestamp ${genesisTimestamp} is ${genesis}, and this clock says ${clock}`,
  );
}

/** Everything in a store may be served, and a publisher deletes what it does not know. So its own files are elsewhere. */
function judgePlaces({ store, ledger, state }: Settings): void {
  const place = storeLocation(store);
  if (place?.kind !== "directory") return;
  const inside = Object.entries({ ledger, state }).find(([, path]) => path !== "none" && isInside(path, place.path));
  if (inside === undefined) return;
  const [name, path] = inside;
  throw new Failure("invalid_setting", `the ${name} ${path} is inside the store ${store}`, {
    hint: "Give the store a directory of its own: --store DIRECTORY.",
  });
}

function isInside(path: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(path));
  return !way.startsWith("..") && !isAbsolute(way);
}

async function judgeCadence(cadence: string): Promise<void> {
  // The default needs no check, and the package that reads patterns takes time to load.
  if (cadence === SETTINGS.cadence.schema.parse(undefined)) return;
  const { isCronPattern } = await import("../../../publish/clock/timers.ts");
  if (isCronPattern(cadence)) return;
  throw new Failure("invalid_setting", `cadence ${JSON.stringify(cadence)} is no cron pattern that matches a date`, {
    hint: 'Five or six fields, seconds first, in UTC: "* * * * * *" is every second, "0 */5 * * * *" every five minutes.',
  });
}

/**
 * Checks the configured installation before the lease is taken. A mistyped id would replace the responses of the right
 * one. `at` is in epoch ms. Throws `Failure` unknown_installation (2), and errors of reading a ledger.
 */
export function judgeInstallation(
  { allowUnknown = false }: { allowUnknown?: boolean },
  reader: SourceReader,
  at: number,
): void {
  const { installationId } = reader;
  const others = idsWithout(installationId, reader, at);
  if (allowUnknown || others === undefined || others.length === 0) return;
  const message = `the ledger has no facts of ${installationId}, only of ${namedIds(others)}`;
  throw new Failure("unknown_installation", message, {
    hint: "Correct the setting installationId. If the facts of a new installation are still to come, give --allow-unknown.",
  });
}

/** Returns the ids of the ledger if it does not know the given one, otherwise undefined. */
function idsWithout(id: string, reader: SourceReader, at: number): string[] | undefined {
  return reader.begin(at).snapshot(({ ledger }) => {
    if (ledger === undefined) return [];
    return installationRowId(ledger, id) === undefined ? listInstallations(ledger).map((one) => one.id) : undefined;
  });
}
