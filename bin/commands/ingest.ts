/** `noonmark ingest FILE|-`: accepted facts into the ledger (design 2). */
import type { Command } from "commander";
import { type Counts, Intake } from "../../src/ledger/intake/intake.ts";
import { type Rejection, rejectionSentence } from "../../src/ledger/intake/rejection.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { feed } from "../cli/feed.ts";
import { openInput } from "../cli/input.ts";
import { intakeProgress } from "../cli/intake-progress.ts";
import { RejectsFile } from "../cli/rejects-file.ts";
import { loadSettings, type Settings, settingOptions } from "../cli/settings.ts";

interface Flags {
  readonly rejects?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export function registerIngest(program: Command): void {
  const command = program
    .command("ingest")
    .description("take accepted facts, one JSON object a line, into the ledger")
    .argument("<file>", "a file of NDJSON, or - for standard input")
    .option("--rejects <file>", "append each rejected line to this file, one JSON object a line")
    .option("--strict", "stop at the first rejected line and keep nothing of the run")
    .option("--json", "print the counts as one JSON object");
  settingOptions(command, ["ledger"]).action(async (file: string, flags: Flags) => {
    const counts = await ingestFile(file, loadSettings(command.opts()), flags);
    console.log(flags.json === true ? JSON.stringify(counts) : countsLine(counts));
    if (counts.rejected > 0) process.exitCode = EXIT.failed;
  });
}

async function ingestFile(file: string, settings: Settings, flags: Flags): Promise<Counts> {
  if (settings.ledger === "none") {
    throw new Failure("missing_setting", "ledger is none, and ingest needs one", {
      exit: EXIT.usage,
      hint: "Give --ledger <path>, NOONMARK_LEDGER, or the key ledger of noonmark.json.",
    });
  }
  const input = await openInput(file);
  const rejects = flags.rejects === undefined ? undefined : new RejectsFile(flags.rejects);
  const ledger = openLedgerForIntake(settings.ledger);
  const progress = intakeProgress(process.stderr, input.size, () => performance.now());
  const onRejected = (rejections: readonly Rejection[]): void => {
    rejects?.append(rejections);
    progress.clear();
    process.stderr.write(rejections.map((rejection) => `${rejectionSentence(rejection)}\n`).join(""));
  };
  try {
    const intake = new Intake(ledger, { strict: flags.strict ?? false, onRejected });
    return await feed(input.chunks, intake, (bytes) => progress.advance(bytes, intake.lines));
  } finally {
    progress.stop();
    ledger.close();
    rejects?.close();
  }
}

function countsLine({ accepted, duplicate, rejected }: Counts): string {
  return `${accepted} accepted, ${duplicate} duplicate, ${rejected} rejected`;
}
