/** `noonmark status`: the publication, and, if nobody publishes, what a publisher would meet. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { Failure } from "../../../src/values/failure.ts";
import { secondsArgument } from "../../cli/arguments.ts";
import { newDirectoryOf, openConfiguredStore } from "../../cli/configured-store.ts";
import { EXIT } from "../../cli/failures.ts";
import { print, warn } from "../../cli/messages.ts";
import { missingInputs, UNPUBLISHED } from "../../cli/publish/missing-inputs.ts";
import { configurationPath, loadSettings, settingsText } from "../../cli/settings/load-settings.ts";
import { type Settings, SOURCE_SETTINGS, settingOptions } from "../../cli/settings/settings.ts";
import { examined, problemOf } from "../../cli/status/finding.ts";
import { statusJson, statusLines } from "../../cli/status/print-publication.ts";
import { type Publication, readPublication, type Status, silentDevice } from "../../cli/status/publication.ts";
import { checkRequirements, fullDisks } from "../../cli/status/requirements.ts";

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

/**
 * Rejects a publication that is too old, or is from the future, which says nothing about the present. Throws `Failure`.
 */
function judgeAge(publication: Publication | undefined, now: number, maxAge: number): void {
  if (publication === undefined) throw new Failure("never_published", "no publication can be read from the store");
  const { head, ageSeconds } = publication;
  const last = Math.max(head.lease.renewedAt, head.at);
  if (isAhead(last, now)) throw clockBehind("the last cycle", last, now);
  if (ageSeconds <= maxAge) return;
  const message = `the lease was last renewed ${ageSeconds.toFixed(1)} s ago, and --max-age is ${maxAge} s`;
  throw new Failure("publisher_silent", message);
}

/** `file` is the path of the configuration; `now` returns epoch ms. */
async function readStatus(settings: Settings, file: string, now: () => number): Promise<Status> {
  const at = now();
  let publication: Publication | undefined;
  const unread = await examined("publication", async () => {
    if (newDirectoryOf(settings) === undefined)
      publication = await readPublication(await openConfiguredStore(settings, { write: false }), at);
    return [];
  });
  const made = isLeftToPublisher(publication, settings)
    ? fullDisks(settings)
    : await checkRequirements(settings, file, now);
  const isStoreFaulty = made.some(({ check, todo }) => check === "store" && todo !== null);
  // A wrong deployment file fails two checks.
  const checks = [...(isStoreFaulty ? [] : unread), ...made].filter(
    ({ saw }, at, all) => all.findIndex((one) => one.saw === saw) === at,
  );
  return {
    at,
    publication,
    checks,
    problems: [...(publication?.problems ?? []), ...checks.filter(({ todo }) => todo !== null).map(problemOf)],
    warnings: [
      ...(publication === undefined ? [] : silentDevice(publication, at)),
      ...missingInputs(publication?.responses ?? UNPUBLISHED, settings),
    ],
  };
}

/**
 * A publisher that is alive reports its own problems. After a run has ended, only a host with a publisher's settings
 * can check.
 */
function isLeftToPublisher(publication: Publication | undefined, { installationId }: Settings): boolean {
  if (publication === undefined) return false;
  return publication.state === "live" || (publication.head.lease.released && installationId === undefined);
}
