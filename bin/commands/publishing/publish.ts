/** `noonmark publish`: one cycle, or a cadence of them. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import type { CycleReport } from "../../../publish/report.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable, printableLines } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { EXIT, hintOf, reported, rowOf } from "../../cli/failures.ts";
import { print, warn } from "../../cli/messages.ts";
import { judgeSettings } from "../../cli/publish/judge-settings.ts";
import { missingGenesis } from "../../cli/publish/missing-inputs.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { CYCLE_SETTINGS, flagName, type Settings, settingOptions } from "../../cli/settings/settings.ts";

interface Flags {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly at?: string;
  readonly force?: boolean;
  readonly publishLog?: boolean;
  readonly newHead?: boolean;
  readonly acceptClock?: boolean;
  readonly acceptChain?: boolean;
  readonly allowUnknown?: boolean;
  readonly metrics?: string;
}

export function registerPublish(program: Command): void {
  const command = program
    .command("publish")
    .option("--once", "run one cycle, then end")
    .option("--json", "print the cycle's report as one JSON object (with --once)")
    .option("--quiet", "print nothing if all went well (with --once)")
    .option("--at <instant>", "compute as of this instant (with --once)")
    .option("--force", "put every response as of now, changed or not (with --once)")
    .option("--allow-unknown", "publish an installation that the ledger does not know, although it knows others")
    .option("--publish-log", "agree that the log becomes public for ever, signed with logKey; give it once")
    .option("--new-head", "begin a new head after the stored log, if the old one is lost (with --once)")
    .option("--accept-clock", "publish as of this clock, although the last cycle was later (with --once)")
    .option("--accept-chain", "publish the chain as it is, although it was published otherwise (with --once)");
  settingOptions(command, [...CYCLE_SETTINGS, "cadence", "metrics", "logKey", "logLevel", "logFormat"]).action(
    async (flags: Flags) => {
      const settings = loadSettings(command.opts(), ["ledger", "store"]);
      rejectIgnored(flags);
      await judgeSettings(settings, systemClock.wall());
      // A single run does not load the log or the cadence, because most of its cost is its start.
      if (flags.once === true) {
        const { publishOnce } = await import("../../cli/publish/publish-once.ts");
        await printReport(await publishOnce(settings, flags), settings, flags);
      } else {
        const { publishOnCadence } = await import("../../cli/publish/publish-on-cadence.ts");
        await publishOnCadence(settings, flags);
      }
    },
  );
}

/** Rejects flags that the way of running would ignore silently. Throws `Failure` usage (2). */
function rejectIgnored({ once, metrics, at, force, json, quiet, newHead, acceptClock, acceptChain }: Flags): void {
  if (once === true && metrics !== undefined) {
    const message = "--metrics is not possible with --once: a single run ends before anyone reads the metrics";
    throw new Failure("usage", message, { hint: "For single runs, check with `noonmark status --max-age <seconds>`." });
  }
  const ofOnce = { at, force, json, quiet, newHead, acceptClock, acceptChain };
  const given = Object.entries(ofOnce).find(([, value]) => value !== undefined)?.[0];
  if (once === true || given === undefined) return;
  throw new Failure("usage", `--${flagName(given)} needs --once`, {
    hint: "Add --once. On a cadence there is a log: --log-level warn leaves out what went well, --log-format json is for programs.",
  });
}

async function printReport(report: CycleReport, settings: Settings, flags: Flags): Promise<void> {
  const failed = report.rows.filter(({ action }) => action === "failed");
  const isWell = failed.length === 0 && report.failures.length === 0;
  if (flags.json === true) await print(JSON.stringify(reportJson(report)));
  else if (!(isWell && flags.quiet === true)) await print(reportSummary(report));
  for (const warning of [...report.warnings, ...missingGenesis(report.rows, settings)]) warn(warning);
  for (const { code, message, hint } of report.failures.map(reported)) {
    console.error(printableLines(`noonmark: ${code}: ${message}\n  ${hint}`));
  }
  for (const [why, rows] of Map.groupBy(failed, (row) => row.why)) {
    console.error(printable(`noonmark: ${rows.map(({ key }) => key).join(", ")}: ${why}`));
    const code = rows[0]?.code;
    if (code !== undefined && rowOf(code) !== undefined) console.error(`  ${hintOf(new Failure(code, why))}`);
  }
  if (!isWell) process.exitCode = EXIT.failed;
}

/** One line, because cron mails everything that a run prints. */
function reportSummary(report: CycleReport): string {
  const counts = ["created", "updated", "unchanged", "failed"].map(
    (action) => `${report.rows.filter((row) => row.action === action).length} ${action}`,
  );
  return `as of ${formatTimestamp(report.at)}: ${counts.join(", ")}`;
}

/** For `--json`, with the instant as a timestamp. */
function reportJson({ at, rows, failures, warnings }: CycleReport): unknown {
  return { at: formatTimestamp(at), rows, failures: failures.map(reported), warnings: warnings.map(reported) };
}
