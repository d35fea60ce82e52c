/** `noonmark ingest FILE|-`: writes accepted facts to the ledger (docs/spec/intake.md). */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { type Command, Option } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { optionalPackage } from "../../../src/files/package-file.ts";
import { type Counts, Intake, type IntakeRules, NO_COUNTS } from "../../../src/ledger/intake/intake.ts";
import { exampleLine } from "../../../src/ledger/intake/record-types.ts";
import { refuseStreamLedger } from "../../../src/ledger/intake/stream-position.ts";
import { openLedgerForIntake, refuseMirror } from "../../../src/ledger/open.ts";
import { FACT_KINDS, type FactKind } from "../../../src/ledger/schema.ts";
import { type FollowOptions, followable, followPath, onceThereIsSpace } from "../../../src/sources/follow-path.ts";
import { feed, openInput } from "../../../src/sources/input.ts";
import { RejectsFile, rejectedLines } from "../../../src/sources/rejects-file.ts";
import { followStream } from "../../../src/sources/stream/follow-stream.ts";
import { isStreamAddress, parseStreamAddress } from "../../../src/sources/stream/stream-address.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { errorMessage } from "../../../src/values/unknown.ts";
import { wholeArgument } from "../../cli/arguments.ts";
import { EXIT } from "../../cli/failures.ts";
import { refuseBehind } from "../../cli/intake/behind-publication.ts";
import { IntakeLog, reportRejections } from "../../cli/intake/intake-log.ts";
import { createLog, loggedToItsEnd } from "../../cli/log.ts";
import { print, warn } from "../../cli/messages.ts";
import { type MetricsPage, startMetricsPage } from "../../cli/metrics/metrics-page.ts";
import { loadSettings, required } from "../../cli/settings/load-settings.ts";
import { flagName, type Settings, settingOptions } from "../../cli/settings/settings.ts";
import { askedToStop } from "../../cli/signals.ts";
import { keepYoungGenerationSmall } from "../../cli/small-heap.ts";

interface Flags {
  readonly retry?: boolean;
  readonly allowFuture?: boolean;
  readonly yes?: boolean;
  readonly rejects?: string;
  readonly strict?: boolean;
  readonly example?: FactKind;
  readonly follow?: boolean;
  readonly subject?: string;
  readonly fromSequence?: number;
  readonly dryRun?: boolean;
  readonly newInstallation?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly metrics?: string;
}

export function registerIngest(program: Command): void {
  const command = program
    .command("ingest")
    .argument(
      "[file]",
      "a file of NDJSON, or - for standard input; with --follow also a directory or nats://HOST/STREAM",
    )
    .option("--rejects <file>", "append each rejected line to this file, one JSON object a line")
    .option(
      "--strict",
      "stop at the first rejected line and keep nothing of the run, so that you can correct the input",
    )
    .option("--retry", "take again, as they were, the lines of a file that --rejects wrote")
    .option("--allow-future", "also take facts more than a minute ahead of this clock, for replays")
    .option("--yes", "take facts although the ledger lacks published ones; give the missing ones first, in their order")
    .addOption(new Option("--example <type>", "print a valid line of this type and end").choices(FACT_KINDS))
    .option(
      "--follow",
      "follow a file that grows, a directory into which finished *.ndjson are moved, or a stream of NATS JetStream, until a signal",
    )
    .option("--subject <filter>", "of a stream, take only the messages of these subjects")
    .option(
      "--from-sequence <number>",
      "the stream's first message to take, if the ledger does not know it",
      wholeArgument,
    )
    .option("--dry-run", "judge every line against the ledger, and take nothing in; the ledger is locked meanwhile")
    .option("--new-installation <id>", "also take the first facts of this installation")
    .option("--json", "print the counts as one JSON object")
    .option("--quiet", "print nothing unless a line is rejected");
  settingOptions(command, [
    "ledger",
    "store",
    "state",
    "metrics",
    "natsCreds",
    "installationId",
    "genesisTimestamp",
    "installations",
    "logLevel",
    "logFormat",
  ]).action(async (file: string | undefined, flags: Flags) => {
    if (flags.example !== undefined) {
      await print(exampleLine(flags.example));
      return;
    }
    if (file === undefined) throw noInput();
    keepYoungGenerationSmall();
    const settings = loadSettings(command.opts(), ["ledger"]);
    const counts = await ingestFile(file, settings, flags);
    if (counts === undefined) return;
    const ledger = resolve(settings.ledger);
    if (flags.quiet !== true || counts.rejected > 0)
      await print(flags.json === true ? JSON.stringify({ ...counts, ledger }) : countsLine(counts, ledger, flags));
    // Only a signal ends `--follow`, and a service that was stopped has not failed.
    if (counts.rejected > 0 && flags.follow !== true) process.exitCode = EXIT.failed;
  });
}

/** Undefined if `--follow` has logged its failure. */
async function ingestFile(file: string, settings: Settings, flags: Flags): Promise<Counts | undefined> {
  required(settings, "ledger");
  if (flags.retry === true && flags.rejects !== undefined && resolve(flags.rejects) === resolve(file)) {
    throw new Failure("invalid_setting", "--retry and --rejects name the same file", {
      hint: "Name another file for what is rejected again.",
    });
  }
  if (flags.dryRun === true && flags.follow === true) {
    throw new Failure("usage", "--dry-run and --follow exclude each other: a dry run has an end", {
      hint: "Name a file, or - for standard input.",
    });
  }
  if (flags.follow === true) return follow(file, settings, flags);
  if (flags.subject !== undefined || flags.fromSequence !== undefined || isStreamAddress(file)) throw streamOnly();
  if (flags.metrics !== undefined) {
    throw new Failure("usage", "--metrics requires --follow: a single run ends before anyone reads the metrics", {
      hint: "Add --follow, or leave out --metrics: a single run prints its counts.",
    });
  }
  const input = await openInput(file);
  let rejects: RejectsFile | undefined;
  let ledger: Database | undefined;
  try {
    await refuseBehind(settings, flags.yes === true);
    if (flags.rejects !== undefined) rejects = new RejectsFile(flags.rejects);
    const isTrial = flags.dryRun === true;
    ledger = openLedgerForIntake(isTrial && !existsSync(settings.ledger) ? ":memory:" : settings.ledger);
    refuseMirror(ledger);
    refuseStreamLedger(ledger);
    const intake = new Intake(ledger, {
      strict: flags.strict ?? false,
      onRejected: (rejections) => reportRejections(rejections, rejects),
      isTrial,
      ...rulesOf(settings, flags),
    });
    const chunks = flags.retry === true ? rejectedLines(input.chunks, file) : input.chunks;
    return await feed(chunks, intake);
  } finally {
    ledger?.close();
    rejects?.close();
    await input.close();
  }
}

/** A failure that ends a followed intake is the last line of its log. */
async function follow(file: string, settings: Settings, flags: Flags): Promise<Counts | undefined> {
  const run = isStreamAddress(file) ? followNats(file, settings, flags) : followFile(file, settings, flags);
  const logger = await createLog(settings);
  const stop = new AbortController();
  void askedToStop().then(() => stop.abort());
  let counts: Counts | undefined;
  await loggedToItsEnd(logger, settings, async () => {
    counts = await run({ log: new IntakeLog(logger), stop: stop.signal });
  });
  return counts;
}

interface Following {
  readonly log: IntakeLog;
  readonly stop: AbortSignal;
}

type Run = (following: Following) => Promise<Counts>;

/** Throws `Failure` if the flags or the file cannot be followed. */
function followFile(file: string, settings: Settings, flags: Flags): Run {
  if (flags.subject !== undefined || flags.fromSequence !== undefined) throw streamOnly();
  if (file === "-" || flags.strict === true || flags.retry === true) {
    throw new Failure("invalid_setting", "--follow takes a file or a directory, without --strict and --retry", {
      hint: "Standard input needs no --follow: `noonmark ingest -`.",
    });
  }
  const target = followable(file);
  return async (following) => {
    await refuseBehind(settings, flags.yes === true, following.log.warning);
    return followed(settings, flags, following, async (ledger, rejects) => {
      refuseStreamLedger(ledger);
      return followPath(target, ledger, {
        rejects,
        ...following,
        watch: watchOf(settings),
        ...rulesOf(settings, flags),
      });
    });
  };
}

function followNats(text: string, settings: Settings, flags: Flags): Run {
  const refused = (["strict", "retry", "allowFuture", "yes"] as const).find((name) => flags[name] === true);
  if (refused !== undefined) {
    throw new Failure("invalid_setting", `a stream is followed without --${flagName(refused)}`, {
      hint: "Every ledger that follows a stream must decide on each line in the same way.",
    });
  }
  const address = parseStreamAddress(text, flags.subject);
  return (following) =>
    followed(settings, flags, following, (ledger, rejects) =>
      followStream(address, ledger, {
        rejects,
        ...following,
        credentials: settings.natsCreds,
        from: flags.fromSequence,
        genesis: settings.genesisTimestamp,
        watch: watchOf(settings),
        now: () => systemClock.wall(),
      }),
    );
}

type Follow = (ledger: Database, rejects: RejectsFile | undefined) => Promise<Counts>;

/** Opens the ledger and the file of rejects. While their disk is full, it waits. */
async function followed(settings: Settings, flags: Flags, following: Following, run: Follow): Promise<Counts> {
  let rejects: RejectsFile | undefined;
  let ledger: Database | undefined;
  try {
    if (flags.rejects !== undefined) rejects = new RejectsFile(flags.rejects);
    ledger = await onceThereIsSpace(() => openLedgerForIntake(settings.ledger), following);
    if (ledger === undefined) return NO_COUNTS;
    refuseMirror(ledger);
    return await run(ledger, rejects);
  } finally {
    ledger?.close();
    rejects?.close();
  }
}

function watchOf({ metrics }: Settings): FollowOptions["watch"] {
  return (counts) => startMetricsPage(metrics, () => pageOf(counts));
}

async function pageOf(counts: () => Counts): Promise<MetricsPage> {
  const { ingestRegistry } = await optionalPackage(
    "@prometheus-io/client",
    () => import("../../cli/metrics/registries.ts"),
  );
  return {
    registry: ingestRegistry(counts),
    defect: (error) => warn({ code: "metrics_failed", message: errorMessage(error) }),
  };
}

/** Without `installationId` nobody has said which installation is expected, so each is taken. */
function rulesOf(
  { installationId, installations, genesisTimestamp }: Settings,
  { allowFuture, newInstallation }: Flags,
): IntakeRules {
  const isAny = installations === "any" || installationId === undefined;
  return {
    ...(allowFuture === true ? {} : { now: () => systemClock.wall(), genesis: genesisTimestamp }),
    isListed: isAny ? undefined : (id) => id === installationId || id === newInstallation,
  };
}

function streamOnly(): Failure {
  return new Failure("usage", "--subject and --from-sequence belong to a stream, and a stream is followed", {
    hint: "Follow a stream: noonmark ingest --follow nats://HOST:4222/STREAM",
  });
}

function noInput(): Failure {
  return new Failure("usage", "no file is named", {
    hint: "Name a file of NDJSON, or - for standard input; --example <type> shows a line of it.",
  });
}

function countsLine({ accepted, duplicate, rejected }: Counts, ledger: string, { dryRun }: Flags): string {
  const end = dryRun === true ? "; a dry run: nothing was taken in" : "";
  return `${accepted} accepted, ${duplicate} duplicate, ${rejected} rejected; ledger ${printable(ledger)}${end}`;
}
