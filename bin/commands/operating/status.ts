/** `noonmark status`: the publication, and, if nobody publishes, what a publisher would meet. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { Failure } from "../../../src/values/failure.ts";
import { secondsArgument } from "../../cli/arguments.ts";
import { EXIT } from "../../cli/failures.ts";
import { print, warn } from "../../cli/messages.ts";
import { configurationPath, loadSettings, settingsText } from "../../cli/settings/load-settings.ts";
import { SOURCE_SETTINGS, settingOptions } from "../../cli/settings/setting-options.ts";
import { statusJson, statusLines } from "../../cli/status/print-publication.ts";
import type { Publication } from "../../cli/status/publication.ts";
import { readStatus } from "../../cli/status/status.ts";

interface Flags {
  readonly maxAge?: number;
  readonly settings?: boolean;
  readonly json?: boolean;
}

export function registerStatus(program: Command): void {
  const command = program
    .command("status")
    .option("--max-age <seconds>", "exit 1 if the lease was renewed longer ago", secondsArgument)
    .option("--settings", "print each setting that is in effect, and where it was set")
    .option("--json", "as one JSON object");
  settingOptions(command, [...SOURCE_SETTINGS, "store", "cadence", "logKey"]).action(async (flags: Flags) => {
    const isJson = flags.json === true;
    if (flags.settings === true) {
      await print(settingsText(command.opts(), isJson));
      return;
    }
    const settings = loadSettings(command.opts(), ["store"]);
    const status = await readStatus(settings, configurationPath(command.opts()), () => systemClock.wall());
    await print(isJson ? statusJson(status) : statusLines(status, settings.store));
    for (const warning of status.warnings) warn(warning);
    if (flags.maxAge !== undefined) judgeAge(status.publication, status.at, flags.maxAge);
    if (status.problems.length > 0) process.exitCode = EXIT.failed;
  });
}

/** Rejects a publication that is too old, or is from the future, which says nothing about the present. Throws `Failure`. */
function judgeAge(publication: Publication | undefined, now: number, maxAge: number): void {
  if (publication === undefined) throw new Failure("never_published", "no publication can be read from the store");
  const { head, ageSeconds } = publication;
  const last = Math.max(head.lease.renewedAt, head.at);
  if (isAhead(last, now)) throw clockBehind("the last cycle", last, now);
  if (ageSeconds <= maxAge) return;
  const message = `the lease was last renewed ${ageSeconds.toFixed(1)} s ago, and --max-age is ${maxAge} s`;
  throw new Failure("publisher_silent", message);
}
