/** Checks the settings and flags that only `publish` needs, before it touches a store, a state directory or a lease. */
import { validate } from "node-cron";
import type { SourceReader } from "../../../publish/sources/source-reader.ts";
import { parseIndex } from "../../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { installationRowId, listInstallations } from "../../../src/ledger/watermarks.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../src/values/freshness.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { readParsed } from "../configured-store.ts";
import { required } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * `now` is in epoch ms. Throws `Failure`: missing_setting, invalid_setting, genesis_in_future, or as `readDeployment`.
 */
export async function judgeSettings(settings: Settings, now: number): Promise<void> {
  required(settings, "installationId");
  judgeCadence(settings.cadence);
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
    "genesis_in_future",
    `genesisTimestamp ${genesisTimestamp} is ${genesis}, and this clock says ${clock}`,
    {
      exit: EXIT.failed,
      hint: "Rounds that have not begun have no statistics. Set genesisTimestamp to the start of round 0, or correct the clock (NTP).",
    },
  );
}

export function judgeCadence(cadence: string): void {
  if (validate(cadence)) return;
  throw new Failure("invalid_setting", `cadence ${JSON.stringify(cadence)} is not a cron pattern`, {
    exit: EXIT.usage,
    hint: 'Five or six fields, seconds first, in UTC: "* * * * * *" is every second, "0 */5 * * * *" every five minutes.',
  });
}

/** The maximum number of ids that a message names. */
const NAMED_IDS = 10;

/**
 * Checks the ids of `publish --new-history`: a mistyped id would stay in the index for ever. Before the lease is taken,
 * rejects ids that neither ledger nor index knows. `at` is in epoch ms. Throws `Failure` unknown_installation (2),
 * `StoreUnavailable`, and errors of reading a ledger.
 */
export async function judgeNewHistories(
  ids: readonly string[],
  store: ObjectStore,
  reader: SourceReader,
  at: number,
): Promise<void> {
  for (const id of ids) {
    const known = reader.begin(at).snapshot(({ ledger }) => {
      if (ledger === undefined) return [];
      return installationRowId(ledger, id) === undefined ? listInstallations(ledger).map((one) => one.id) : undefined;
    });
    if (known === undefined || (await isNamed(store, id))) continue;
    const has = known.length === 0 ? "nothing" : known.slice(0, NAMED_IDS).join(", ");
    throw new Failure("unknown_installation", `neither the ledger nor the index knows ${id}: the ledger has ${has}`, {
      exit: EXIT.usage,
      hint: "Give --new-history the id of an installation that has facts or was published; an unknown one needs none.",
    });
  }
}

/** True if the published index contains an installation. */
async function isNamed(store: ObjectStore, id: string): Promise<boolean> {
  return (await readParsed(store, INSTALLATIONS_KEY, parseIndex))?.histories.has(id) === true;
}
