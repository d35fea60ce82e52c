/** Checks the settings and flags that only `publish` needs, before it touches a store, a state directory or a lease. */
import { isAbsolute, relative, resolve } from "node:path";
import { comparedWithLog, publishedLogNumber } from "../../../publish/published-log.ts";
import { namedIds } from "../../../publish/report.ts";
import type { SourceReader } from "../../../publish/sources/source-reader.ts";
import { FIRST_LOG, parseIndex } from "../../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { installationRowId, listInstallations } from "../../../src/ledger/watermarks.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../src/values/freshness.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { readParsed } from "../configured-store.ts";
import { warn } from "../messages.ts";
import { required } from "../settings/load-settings.ts";
import { didYouMean } from "../settings/setting-names.ts";
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
 * Checks the configured installation before the lease is taken. A mistyped id would replace the responses of the right one.
 * `at` is in epoch ms. Throws `Failure` unknown_installation (2), and errors of reading a ledger.
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
  throw new Failure("unknown_installation", message + didYouMean(installationId, others), {
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

/**
 * For `publish --new-log`: the published log is abandoned for good, so this says first what the ledger lacks of it, and needs
 * `--yes`. `at` is in epoch ms. Throws `Failure` new_log_unconfirmed (2), `StoreUnavailable`, and errors of reading a ledger.
 */
export async function judgeNewLog(
  { newLog, yes }: { readonly newLog?: number; readonly yes?: boolean },
  store: ObjectStore,
  reader: SourceReader,
  at: number,
): Promise<void> {
  if (newLog === undefined) return;
  const index = await readParsed(store, INSTALLATIONS_KEY, parseIndex);
  const number = await publishedLogNumber(store, index ?? { log: FIRST_LOG });
  const { size, lacking } = await comparedWithLog(store, number, reader.begin(at));
  const lines = [...lacking].map(([id, { published, missing }]) => `${id}: ${missing} of ${published} facts`);
  const what = lines.length === 0 ? "" : `\n  The ledger lacks, or has in another order:\n    ${lines.join("\n    ")}`;
  const says = `log ${number} was published with ${size} entries, and log ${newLog} begins with this ledger${what}`;
  if (yes === true) {
    warn({ code: "new_log", message: says });
    return;
  }
  throw new Failure("new_log_unconfirmed", says, {
    hint: `What was published stays readable until it is replaced. To do it: noonmark publish --once --new-log ${newLog} --yes`,
  });
}
