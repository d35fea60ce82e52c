/** `noonmark rebuild`: rebuilds the projections from the ledger, while the last good responses stay online. */
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { openLedgerForReading } from "../../../src/ledger/open.ts";
import { PROJECTIONS_FILE } from "../../../src/projections/open.ts";
import { rebuildProjections } from "../../../src/projections/rebuild.ts";
import { Failure } from "../../../src/values/failure.ts";
import { print } from "../../cli/messages.ts";
import { progressBar } from "../../cli/progress.ts";
import { loadSettings, required } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";

export function registerRebuild(program: Command): void {
  const command = program
    .command("rebuild")
    .description("derive the projections from the ledger again; a publisher may run meanwhile");
  settingOptions(command, ["installationId", "ledger", "state", "genesisTimestamp"]).action(async () => {
    const settings = loadSettings(command.opts(), ["ledger"]);
    const { ledger: path, state, genesisTimestamp } = settings;
    const installationId = required(settings, "installationId");
    if (path === "none") {
      throw new Failure("no_ledger", "there is no ledger to rebuild from");
    }
    const ledger = openLedgerForReading(path);
    const bar = progressBar(process.stderr, "{bar} {percentage}% | {value} of {total} | {eta_formatted} left");
    try {
      const genesis = genesisTimestamp === undefined ? undefined : BigInt(genesisTimestamp);
      const inputs = { ledger, installationId, genesis, at: systemClock.wall() };
      const { receipts, rounds } = rebuildProjections(join(state, PROJECTIONS_FILE), inputs, ({ done, total }) =>
        bar.show(Math.min(done, total), total),
      );
      bar.stop();
      const left = genesis === undefined ? "; no genesisTimestamp is set, so the rounds are left to the publisher" : "";
      await print(`rebuilt from ${receipts} receipts and ${rounds} observed rounds${left}`);
    } finally {
      bar.stop();
      ledger.close();
    }
  });
}
