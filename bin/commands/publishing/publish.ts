/** `noonmark publish`: one cycle, or a cadence of them. */

import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { explicitInstant } from "../../../publish/clock/instant.ts";
import { Known } from "../../../publish/known.ts";
import { findLease } from "../../../publish/lease/lease-record.ts";
import { lastPublishedAt } from "../../../publish/lease/take.ts";
import type { CycleReport } from "../../../publish/report.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { RESOURCE_NAMES, type ResourceName } from "../../../src/resources/table.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { printable, printableLines } from "../../../src/values/printable.ts";
import { namesArgument, parseInstant, wholeArgument } from "../../cli/arguments.ts";
import { newDirectoryOf, openConfiguredStore } from "../../cli/configured-store.ts";
import { reported } from "../../cli/hints.ts";
import { print, warn } from "../../cli/messages.ts";
import { judgeInstallation, judgeNewLog, judgeSettings } from "../../cli/publish/judge-settings.ts";
import { missingGenesis } from "../../cli/publish/missing-inputs.ts";
import { publisherOptions } from "../../cli/publish/publisher-options.ts";
import { reportJson, reportLines, reportSummary, reportTable } from "../../cli/publish/report-lines.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { CYCLE_SETTINGS, settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";
import { instantClock, openSources } from "../../cli/sources.ts";

interface Flags {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly only?: ReadonlySet<ResourceName>;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly at?: string;
  readonly force?: boolean;
  readonly newLog?: number;
  readonly publishLog?: boolean;
  readonly yes?: boolean;
  readonly allowUnknown?: boolean;
  readonly metrics?: string;
}

export function registerPublish(program: Command): void {
  const command = program
    .command("publish")
    .option("--once", "run one cycle, then end")
    .option("--dry-run", "print what one cycle would put, and why, without putting it")
    .option(
      "--only <resources>",
      `publish only these resources, separated by commas: ${RESOURCE_NAMES.join(", ")}`,
      namesArgument(RESOURCE_NAMES),
    )
    .option("--json", "print the cycle's report as one JSON object (with --once or --dry-run)")
    .option("--quiet", "print nothing if all went well (with --once or --dry-run)")
    .option("--at <instant>", "compute as of this instant (with --once or --dry-run)")
    .option("--force", "put every response as of now, changed or not (with --once)")
    .option("--allow-unknown", "publish an installation that the ledger does not know, although it knows others")
    .option(
      "--new-log <number>",
      "abandon the published log and begin the next one with this ledger; give it once",
      wholeArgument,
    )
    .option("--publish-log", "agree that the log becomes public for ever, signed with logKey; give it once")
    .option("--yes", "begin the new log although the ledger lacks published facts");
  settingOptions(command, [...CYCLE_SETTINGS, "cadence", "scrubInterval", "metrics", "logLevel", "logFormat"]).action(
    async (flags: Flags) => {
      const settings = loadSettings(command.opts(), ["ledger", "store"]);
      rejectCadenceFlags(flags);
      await judgeSettings(settings, systemClock.wall());
      // A single run does not load the log or the cadence, because most of its cost is its start.
      if (flags.dryRun === true) await printReport(await tryOut(settings, flags), settings, flags);
      else if (flags.once === true) {
        const { publishOnce } = await import("../../cli/publish/publish-once.ts");
        await printReport(await publishOnce(settings, flags), settings, flags);
      } else {
        rejectOnceFlags(flags);
        const { publishOnCadence } = await import("../../cli/publish/publish-on-cadence.ts");
        await publishOnCadence(settings, flags);
      }
    },
  );
}

/** Rejects flags that only a cadence uses. Throws `Failure` usage (2). */
function rejectCadenceFlags({ once, dryRun, metrics }: Flags): void {
  if (metrics === undefined || (once !== true && dryRun !== true)) return;
  throw new Failure(
    "usage",
    "--metrics is not possible with --once: a single run ends before anyone reads the metrics",
    { hint: "For single runs, check with `noonmark status --max-age <seconds>`." },
  );
}

/** Rejects flags that a cadence would ignore silently. Throws `Failure` usage (2). */
function rejectOnceFlags({ at, force, json, quiet }: Flags): void {
  const given = Object.entries({ at, force, json, quiet }).find(([, value]) => value !== undefined)?.[0];
  if (given === undefined) return;
  throw new Failure("usage", `--${given} needs --once`, {
    hint: "Add --once. On a cadence there is a log: --log-level warn leaves out what went well, --log-format json is for programs.",
  });
}

async function tryOut(settings: Settings, flags: Flags): Promise<CycleReport> {
  const { dryRun } = await import("../../../publish/dry-run.ts");
  const { store, isNew } = await storeOfDryRun(settings);
  if (isNew) {
    warn({ code: "new_store", message: `nothing has been published to ${store.name} yet: publish creates it` });
  }
  const given = parseInstant(flags.at);
  if (given !== undefined) await checkInstant(given, store);
  const now = instantClock(given);
  const { reader, chain } = await openSources(settings, { state: "copy", whole: true, now });
  try {
    judgeInstallation(flags, reader, now());
    await judgeNewLog(flags, store, reader, now());
    await pollUntilConcluded(chain, now, now() + settings.deadline * 1000);
    const options = publisherOptions(settings, flags, { store, reader, clock: systemClock });
    return await dryRun(options, given ?? now());
  } finally {
    reader.close();
  }
}

/** Throws `Failure` at_before_published. A try may be of the future. */
async function checkInstant(at: number, store: ObjectStore): Promise<void> {
  const last = lastPublishedAt(Known.inMemory(), store, (await findLease(store))?.record);
  explicitInstant({ at, now: at, last, force: false });
}

async function printReport(report: CycleReport, settings: Settings, flags: Flags): Promise<void> {
  const failed = report.rows.filter(({ action }) => action === "failed");
  const isWell = failed.length === 0 && report.failures.length === 0;
  if (flags.json === true) await print(JSON.stringify(reportJson(report)));
  else if (!(isWell && flags.quiet === true)) await print(await forPeople(report, flags));
  for (const warning of [...report.warnings, ...missingGenesis(report.rows, settings)]) warn(warning);
  for (const { code, message, hint } of report.failures.map(reported)) {
    console.error(printableLines(`noonmark: ${code}: ${message}\n  ${hint}`));
  }
  for (const { key, why } of failed) console.error(printable(`noonmark: ${key}: ${why}`));
  if (!isWell) process.exitCode = EXIT.failed;
}

async function forPeople(report: CycleReport, { dryRun }: Flags): Promise<string> {
  if (process.stdout.isTTY) return [...(await reportTable(report)), reportSummary(report)].join("\n");
  return [...(dryRun === true ? reportLines(report) : []), reportSummary(report)].join("\n");
}

/** Opens the store for a dry run. If nothing was ever published (`isNew`), it is an empty store. */
async function storeOfDryRun(settings: Settings): Promise<{ store: ObjectStore; isNew: boolean }> {
  const store = await openConfiguredStore(settings, { write: false });
  const isNew = newDirectoryOf(settings) !== undefined;
  return { store: isNew ? emptyStore(store.name) : store, isNew };
}

function emptyStore(name: string): ObjectStore {
  const refuse = () => {
    throw new TypeError(`${name} does not exist: a dry run puts nothing`);
  };
  return { name, get: async () => undefined, put: refuse, delete: refuse, async *list() {} };
}
