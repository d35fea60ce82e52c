/** `noonmark status`: the publication, from the publisher's report and from the store. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import type { LeaseRecord } from "../../../publish/lease/lease-record.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { secondsArgument } from "../../cli/arguments.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { print, warn } from "../../cli/messages.ts";
import { missingInputs } from "../../cli/publish/missing-inputs.ts";
import { loadSettings, settingsText } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import { publicationLines } from "../../cli/status/print-publication.ts";
import { neverPublished, type Publication, readPublication } from "../../cli/status/publication.ts";

export function registerStatus(program: Command): void {
  const command = program
    .command("status")
    .description("show the publication: each response's age and next change, sources, lease, problems")
    .option("--max-age <seconds>", "exit 1 if the lease was renewed longer ago", secondsArgument)
    .option("--settings", "print each setting that is in effect, and where it was set")
    .option("--json", "as one JSON object");
  settingOptions(command, ["store", "ignoredNotes"]).action(
    async ({ maxAge, settings: isOfSettings, json }: { maxAge?: number; settings?: boolean; json?: boolean }) => {
      if (isOfSettings === true) {
        await print(settingsText(command.opts(), json === true));
        return;
      }
      const settings = loadSettings(command.opts(), ["store"]);
      const now = systemClock.wall();
      const store = await openConfiguredStore(settings, { write: false });
      const publication = await readStatus(store, now);
      const { record, standby, responses, problems, state, ageSeconds } = publication;
      const whole = { ageSeconds, ...record, standby, state, responses, problems };
      await print(json === true ? JSON.stringify(whole) : publicationLines(publication, now));
      for (const warning of missingInputs(responses, settings)) warn(warning);
      if (maxAge !== undefined) judgeAhead(record, now);
      if (maxAge !== undefined && !(ageSeconds <= maxAge)) {
        throw new Failure(
          "publisher_silent",
          `the lease was last renewed ${ageSeconds.toFixed(1)} s ago, and --max-age is ${maxAge} s`,
        );
      }
      if (problems.length > 0) process.exitCode = EXIT.failed;
    },
  );
}

async function readStatus(store: ObjectStore, now: number): Promise<Publication> {
  const publication = await readPublication(store, now);
  if (publication !== undefined) return publication;
  throw neverPublished(store);
}

/** Rejects a publication from the future, which says nothing about the present. Throws `Failure` clock_behind. */
function judgeAhead({ renewedAt, lastCycleAt }: LeaseRecord, now: number): void {
  const last = Math.max(Date.parse(renewedAt), Date.parse(lastCycleAt ?? renewedAt));
  if (isAhead(last, now)) throw clockBehind("the last cycle", last, now);
}
