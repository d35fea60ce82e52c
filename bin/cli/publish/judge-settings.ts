/** Checks the settings that only `publish` needs, before a store, a state or a lease is touched. */
import { validate } from "node-cron";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../src/values/freshness.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { required } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * `now` in epoch ms. Throws `Failure`: missing_setting, invalid_setting, genesis_in_future, or the deployment file's fault.
 */
export async function judgeSettings(settings: Settings, now: number): Promise<void> {
  required(settings, "installationId");
  judgeCadence(settings.cadence);
  judgeGenesis(settings, now);
  if (settings.deployment === undefined) return;
  // Only a configured chain needs this module.
  const { readDeployment } = await import("../../../src/chain/deployment.ts");
  readDeployment(settings.deployment);
}

/** Exit 1: a machine with a clock that is behind is started again once it is right, and then publishes. */
function judgeGenesis({ genesisTimestamp }: Settings, now: number): void {
  if (genesisTimestamp === undefined || genesisTimestamp * 1000 - now <= FUTURE_ALLOWANCE_MS) return;
  const [genesis, clock] = [formatTimestamp(genesisTimestamp * 1000), formatTimestamp(now)];
  throw new Failure(
    "genesis_in_future",
    `genesisTimestamp ${genesisTimestamp} is ${genesis}, and this clock says ${clock}`,
    {
      exit: EXIT.failed,
      hint: "Rounds that have not begun have no statistics. Set genesisTimestamp to the start of round 0, or the clock right (NTP).",
    },
  );
}

export function judgeCadence(cadence: string): void {
  if (validate(cadence)) return;
  throw new Failure("invalid_setting", `cadence ${JSON.stringify(cadence)} is no cron pattern`, {
    exit: EXIT.usage,
    hint: 'Five or six fields, seconds first, in UTC: "* * * * * *" is every second, "0 */5 * * * *" every five minutes.',
  });
}
