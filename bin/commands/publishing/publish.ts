/** `noonmark publish`: one cycle, or a cadence of them. */

import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { explicitInstant } from "../../../publish/clock/instant.ts";
import { dryRun } from "../../../publish/dry-run.ts";
import { acquireOnce } from "../../../publish/lease/acquire.ts";
import { findLease, heldBy } from "../../../publish/lease/lease-object.ts";
import { Publisher } from "../../../publish/publisher.ts";
import type { CycleReport } from "../../../publish/puts/report.ts";
import { Published } from "../../../publish/state/published.ts";
import { leaseIdentity } from "../../../publish/status/lease-identity.ts";
import { RequestTally } from "../../../publish/status/request-tally.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import type { PollEvent } from "../../../src/chain/poll-event.ts";
import { countedStore } from "../../../src/object-store/counted-store.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { RESOURCE_NAMES, type ResourceName } from "../../../src/resources/table.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { namesArgument } from "../../cli/arguments.ts";
import { parseInstant } from "../../cli/instant.ts";
import { openConfiguredStore } from "../../cli/open-configured-store.ts";
import { chainTime, withDeadline } from "../../cli/publish/deadline-store.ts";
import { judgeSettings } from "../../cli/publish/judge-settings.ts";
import { missingGenesis } from "../../cli/publish/missing-genesis.ts";
import { publishOnCadence } from "../../cli/publish/publish-on-cadence.ts";
import { publisherOptions } from "../../cli/publish/publisher-options.ts";
import { reportJson, reportLines, reportSummary, reportTable } from "../../cli/publish/report-table.ts";
import { storeOfDryRun } from "../../cli/publish/store-of-dry-run.ts";
import { loadSettings, type Settings, settingOptions } from "../../cli/settings/settings.ts";
import { instantClock, openSources } from "../../cli/sources.ts";
import { warn } from "../../cli/warn.ts";

interface Flags {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly only?: ReadonlySet<ResourceName>;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly at?: string;
  readonly force?: boolean;
  readonly newHistory?: readonly string[];
  readonly metrics?: string;
}

export function registerPublish(program: Command): void {
  const command = program
    .command("publish")
    .description("compute every answer and put what changed into the store; on a cadence, or once")
    .option("--once", "one cycle, then end")
    .option("--dry-run", "print what one cycle would put, and why; put nothing")
    .option("--only <resources>", `of ${RESOURCE_NAMES.join(",")}`, namesArgument(RESOURCE_NAMES))
    .option("--json", "print the cycle's report as one JSON object (with --once or --dry-run)")
    .option("--quiet", "print nothing where all went well (with --once or --dry-run)")
    .option("--at <instant>", "compute as of this instant (with --once or --dry-run)")
    .option("--force", "put every answer as of now, changed or not (with --once)")
    .option("--new-history <installation...>", "leave the published history of an installation behind and begin anew");
  settingOptions(command, [
    "installationId",
    "ledger",
    "store",
    "state",
    "deployment",
    "rpcUrl",
    "genesisTimestamp",
    "chainGrace",
    "chainWord",
    "chainInterval",
    "statisticsInterval",
    "site",
    "publicUrl",
    "explorerUrl",
    "cadence",
    "metrics",
    "deadline",
    "logLevel",
    "logFormat",
  ]).action(async (flags: Flags) => {
    const settings = loadSettings(command.opts());
    refuseOfCadence(flags);
    await judgeSettings(settings);
    if (flags.dryRun === true) print(await tryOut(settings, flags), settings, flags);
    else if (flags.once === true) print(await publishOnce(settings, flags), settings, flags);
    else {
      refuseOfOnce(flags);
      await publishOnCadence(settings, flags);
    }
  });
}

/** Throws `Failure` usage (2). */
function refuseOfCadence({ once, dryRun, metrics }: Flags): void {
  if (metrics === undefined || (once !== true && dryRun !== true)) return;
  throw new Failure("usage", "--metrics goes without --once: one run is over before anybody asks", {
    exit: EXIT.usage,
    hint: "Of single runs `noonmark status --max-age <seconds>` tells whether they come.",
  });
}

/** A publisher on a cadence would pass over them in silence. Throws `Failure` usage (2). */
function refuseOfOnce({ at, force, json, quiet }: Flags): void {
  const given = Object.entries({ at, force, json, quiet }).find(([, value]) => value !== undefined)?.[0];
  if (given === undefined) return;
  throw new Failure("usage", `--${given} goes with --once`, {
    exit: EXIT.usage,
    hint: "On a cadence there is a log: --log-level warn leaves out what went well, --log-format json is for programs.",
  });
}

async function tryOut(settings: Settings, flags: Flags): Promise<CycleReport> {
  const { store, isNew } = await storeOfDryRun(settings);
  if (isNew) {
    warn({ code: "new_store", message: `nothing has been published to ${store.name} yet: publish makes it` });
  }
  const given = parseInstant(flags.at);
  const now = instantClock(given);
  const { reader, chain } = await openSources(settings, { state: "copy", whole: true, now });
  try {
    await pollUntilConcluded(chain, now, now() + settings.deadline * 1000);
    const options = publisherOptions(settings, flags, { store, reader, minimumPutInterval: 0 });
    return await dryRun(options, given ?? now());
  } finally {
    reader.close();
  }
}

async function publishOnce(settings: Settings, flags: Flags): Promise<CycleReport> {
  const opened = await openConfiguredStore(settings, { write: true });
  const published = await openState(settings.state, opened);
  const requests = new RequestTally(published, systemClock.wall());
  const store = countedStore(opened, (operation, key) => requests.count(operation, key));
  try {
    const given = parseInstant(flags.at);
    const at = given === undefined ? undefined : await judgedInstant(given, flags, published, store);
    const now = instantClock(at);
    const { reader, chain } = await openSources(settings, { state: "own", whole: true, now, onChainEvent: warnOf });
    try {
      const limitMs = settings.deadline * 1000;
      const limited = withDeadline(store, () => systemClock.monotonic(), limitMs);
      // Before the lease, which would run out meanwhile; what the chain leaves of the time is for the puts.
      await pollUntilConcluded(chain, now, now() + chainTime(limitMs));
      const options = {
        ...publisherOptions(settings, flags, { store: limited, reader, minimumPutInterval: 0 }),
        published,
        requests,
      };
      const candidate = { store, clock: systemClock, identity: leaseIdentity(options), published };
      const lease = await acquireOnce({ ...candidate, onUnreadable: warnOfWait }, (ms) => wait(ms));
      const publisher = await Publisher.begin(options, lease);
      const report = await publisher.cycle(at ?? publisher.instant(now()));
      await publisher.release();
      return report;
    } finally {
      reader.close();
    }
  } finally {
    requests.save();
    published.close();
  }
}

function warnOfWait(forMs: number): void {
  const message = `status.json is damaged, or no lease record: taken anew if nobody writes it for ${Math.ceil(forMs / 1000)} s`;
  warn({ code: "lease_unreadable", message });
}

/** Of a state directory that was lost, the lease object knows what was published. */
async function judgedInstant(at: number, flags: Flags, published: Published, store: ObjectStore): Promise<number> {
  const found = await findLease(store);
  const told = Date.parse(found?.record?.lastCycleAt ?? "");
  const last = Math.max(Number(published.meta("at") ?? 0), Number.isNaN(told) ? 0 : told);
  return explicitInstant({ at, last, now: systemClock.wall(), force: flags.force ?? false });
}

/** An unavailable chain is data, exit 0; the operator is told why all the same. */
function warnOf(event: PollEvent): void {
  if (event.type === "failed") console.error(`noonmark: warning: chain: ${event.node}: ${event.message}`);
  if (event.type === "mismatch" || event.type === "unconfirmed_fault") {
    const what = event.type === "mismatch" ? event.type : "unconfirmed fault";
    console.error(`noonmark: warning: chain: ${event.node}: ${what} ${event.check}: ${event.detail}`);
  }
}

/** Of two runs on one machine the second says who holds the lease, not only that a file is locked. */
async function openState(directory: string, store: ObjectStore): Promise<Published> {
  try {
    return Published.open(directory);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "state_locked") throw error;
    const record = (await findLease(store))?.record;
    throw record === undefined || record.released ? error : await heldBy(store, record);
  }
}

function print(report: CycleReport, settings: Settings, flags: Flags): void {
  const failed = report.rows.filter(({ action }) => action === "failed");
  const isWell = failed.length === 0 && report.failures.length === 0;
  if (flags.json === true) console.log(JSON.stringify(reportJson(report)));
  else if (!(isWell && flags.quiet === true)) console.log(forPeople(report, flags));
  for (const warning of [...report.warnings, ...missingGenesis(report.rows, settings)]) warn(warning);
  for (const { code, message, hint } of report.failures) {
    console.error(`noonmark: ${code}: ${message}${hint === undefined ? "" : `\n  ${hint}`}`);
  }
  for (const { key, why } of failed) console.error(`noonmark: ${key}: ${why}`);
  if (!isWell) process.exitCode = EXIT.failed;
}

function forPeople(report: CycleReport, { dryRun }: Flags): string {
  if (process.stdout.isTTY) return reportTable(report);
  return [...(dryRun === true ? reportLines(report) : []), reportSummary(report)].join("\n");
}
