/** What `publish` alone needs of its settings, judged before a store, a state or a lease is touched. */
import { validate } from "node-cron";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { required } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";

/** Throws `Failure`: missing_setting, invalid_setting, or what is wrong with the deployment file. */
export async function judgeSettings(settings: Settings): Promise<void> {
  required(settings, "installationId");
  judgeCadence(settings.cadence);
  if (settings.deployment === undefined) return;
  // Only who names a chain loads what reads one.
  const { readDeployment } = await import("../../../src/chain/deployment.ts");
  readDeployment(settings.deployment);
}

export function judgeCadence(cadence: string): void {
  if (validate(cadence)) return;
  throw new Failure("invalid_setting", `cadence ${JSON.stringify(cadence)} is no cron pattern`, {
    exit: EXIT.usage,
    hint: 'Five or six fields, seconds first, in UTC: "* * * * * *" is every second, "0 */5 * * * *" every five minutes.',
  });
}
