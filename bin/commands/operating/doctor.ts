/** `noonmark doctor`: one line per requirement of a publisher, and what to do if it is not met. */
import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { webUrl } from "../../cli/arguments.ts";
import { examineChain } from "../../cli/doctor/chain.ts";
import { examineClock } from "../../cli/doctor/clock.ts";
import { badFinding, type DoctorFinding, examined, type Severity } from "../../cli/doctor/finding.ts";
import { examineDisks, examineLedger, examineNode, examineSettings, examineState } from "../../cli/doctor/local.ts";
import { examinePublicSide } from "../../cli/doctor/public-side.ts";
import { examineLease, examineOwner, examinePublication, examineStore } from "../../cli/doctor/publication.ts";
import { hintOf } from "../../cli/hints.ts";
import { print } from "../../cli/messages.ts";
import { configurationPath, loadSettings } from "../../cli/settings/load-settings.ts";
import { SOURCE_SETTINGS, settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";

interface Flags {
  readonly url?: URL;
  readonly json?: boolean;
}

export function registerDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .description("check everything that a publisher needs, and say what to do; exit 1 if something is wrong")
    .option("--url <base-url>", "also check the API at this address, with verify's rules, for a minute", urlArgument)
    .option("--json", "as one JSON array of {check, severity, saw, todo}");
  settingOptions(command, [...SOURCE_SETTINGS, "store", "cadence", "ignoredNotes"]).action(
    async ({ url, json }: Flags) => {
      const findings = await examineAll(command.opts(), url);
      await print(json === true ? JSON.stringify(findings) : findings.map(lineOf));
      if (findings.some(({ severity }) => severity === "fault")) process.exitCode = EXIT.failed;
    },
  );
}

/** Runs all checks. If the settings cannot be loaded, nothing else can be checked. */
async function examineAll(
  flags: { readonly config?: string },
  url: URL | undefined,
): Promise<readonly DoctorFinding[]> {
  const now = () => systemClock.wall();
  const loaded = settingsOrFinding(flags);
  if ("check" in loaded) return [...examineNode(), loaded];
  const clock = await examined("clock", () => examineClock(loaded, now));
  const isClockWrong = clock.some(({ severity }) => severity === "fault");
  // A wrong clock would make a right genesis look wrong.
  const judgedAt = isClockWrong ? Number.POSITIVE_INFINITY : now();
  const findings = [
    examineNode(),
    await examined("settings", () => examineSettings(loaded, configurationPath(flags), judgedAt)),
    await examined("ledger", () => examineLedger(loaded, now())),
    await examined("state", () => examineState(loaded)),
    await examined("disk", () => examineDisks(loaded)),
    await examined("store", () => examineStore(loaded)),
    clock,
    await examined("installation", () => examineOwner(loaded)),
    ...(isClockWrong ? [] : await timedFindings(loaded, now, url)),
  ];
  return findings.flat();
}

/** What depends on the time. With a wrong clock it would only repeat that the clock is wrong. */
async function timedFindings(settings: Settings, now: () => number, url: URL | undefined) {
  return [
    await examined("lease", () => examineLease(settings, now())),
    await examined("publication", () => examinePublication(settings, now())),
    await examined("chain", () => examineChain(settings, now)),
    url === undefined ? [] : await examined("public side", () => examinePublicSide(url)),
  ];
}

function settingsOrFinding(flags: Readonly<Record<string, unknown>>): Settings | DoctorFinding {
  try {
    return loadSettings(flags, ["ledger", "store"]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return badFinding("settings", `${error.code}: ${error.message}`, hintOf(error));
  }
}

const MARKS: Readonly<Record<Severity, string>> = { ok: "ok ", note: "see", fault: "FIX" };

function lineOf({ check, severity, saw, todo }: DoctorFinding): string {
  return `${MARKS[severity]} ${check.padEnd(12)} ${saw}${todo === null ? "" : `${/[.?]$/.test(saw) ? "" : "."} ${todo}`}`;
}

function urlArgument(text: string): URL {
  const url = webUrl(text);
  if (url === undefined) throw new InvalidArgumentError("Give an http or https URL.");
  return url;
}
