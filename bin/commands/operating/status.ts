/** `noonmark status`: how the publication is, by the publisher's last word and by what stands in the store. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { clockBehind, isAhead } from "../../../publish/clock/instant.ts";
import { readLease } from "../../../publish/lease/lease-object.ts";
import type { LeaseRecord } from "../../../publish/lease/lease-record.ts";
import { readOperatorStatus } from "../../../publish/status/operator-report.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { printableValues } from "../../../src/values/printable.ts";
import { secondsArgument } from "../../cli/arguments.ts";
import { openConfiguredStore } from "../../cli/open-configured-store.ts";
import { missingGenesis } from "../../cli/publish/missing-genesis.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";
import { publicationLines } from "../../cli/status/print-publication.ts";
import { type Publication, publicationOf } from "../../cli/status/publication.ts";
import { publishedAnswers } from "../../cli/status/published-answers.ts";
import { warn } from "../../cli/warn.ts";

export function registerStatus(program: Command): void {
  const command = program
    .command("status")
    .description("show how the publication is: each answer's age and next change, sources, lease, problems")
    .option("--max-age <seconds>", "exit 1 where the last renewal is older", secondsArgument)
    .option("--json", "as one JSON object");
  settingOptions(command, ["store"]).action(async ({ maxAge, json }: { maxAge?: number; json?: boolean }) => {
    const settings = loadSettings(command.opts());
    const now = systemClock.wall();
    const publication = await look(settings, now);
    const { record, answers, problems, state, ageSeconds } = publication;
    if (json === true) console.log(JSON.stringify({ ageSeconds, ...record, state, answers, problems }));
    else for (const line of publicationLines(publication, now)) console.log(line);
    for (const warning of missingGenesis(answers, settings)) warn(warning);
    if (maxAge !== undefined) judgeAhead(record, now);
    if (maxAge !== undefined && !(ageSeconds <= maxAge)) {
      throw new Failure("publisher_silent", `the last word is ${ageSeconds.toFixed(1)} s old`, { exit: EXIT.failed });
    }
    if (problems.length > 0) process.exitCode = EXIT.failed;
  });
}

async function look(settings: Settings, now: number): Promise<Publication> {
  const store = await openConfiguredStore(settings, { write: false });
  const found = await readLease(store);
  if (found === undefined) {
    throw new Failure("never_published", `nothing has ever been published to ${store.name}`, { exit: EXIT.failed });
  }
  const { record } = found;
  const said = new Set(Object.keys(record.report.resources ?? {}));
  const answers = await publishedAnswers(store, said, now);
  const told = { record, operator: await readOperatorStatus(store, record).catch(notReadable) };
  return printableValues(publicationOf(store.name, told, answers, now));
}

/** What the operator alone may read is closed to other users; the rest is shown. */
function notReadable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
  warn({
    code: "private_status_unreadable",
    message: `what the publisher tells its operator cannot be read (${error.message})`,
    hint: "Run this as the user that publishes, or with a key that may read private/*.",
  });
}

/** A publication from the future says nothing of now. Throws `Failure` clock_behind. */
function judgeAhead({ renewedAt, lastCycleAt }: LeaseRecord, now: number): void {
  const last = Math.max(Date.parse(renewedAt), Date.parse(lastCycleAt ?? renewedAt));
  if (isAhead(last, now)) throw clockBehind("the last cycle", last, now);
}
