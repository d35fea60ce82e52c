/** `noonmark doctor`: one line per requirement of a publisher, and what to do if it is not met. */
import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "../../../publish/clock/clock.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { webUrl } from "../../cli/arguments.ts";
import { examineChain } from "../../cli/doctor/chain.ts";
import { examined, type Finding, wrong } from "../../cli/doctor/finding.ts";
import { examineDisks, examineLedger, examineNode, examineSettings, examineState } from "../../cli/doctor/local.ts";
import { examinePublicSide } from "../../cli/doctor/public-side.ts";
import { examinePublication, examineStore } from "../../cli/doctor/publication.ts";
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
    .option("--json", "as one JSON array of {check, ok, saw, todo}");
  settingOptions(command, [...SOURCE_SETTINGS, "store", "cadence"]).action(async ({ url, json }: Flags) => {
    const findings = await examineAll(command.opts(), url);
    if (json === true) console.log(JSON.stringify(findings));
    else for (const finding of findings) console.log(lineOf(finding));
    if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
  });
}

/** Runs all checks. If the settings cannot be loaded, nothing else can be checked. */
async function examineAll(flags: { readonly config?: string }, url: URL | undefined): Promise<readonly Finding[]> {
  const now = () => systemClock.wall();
  const loaded = settingsOrFinding(flags);
  if ("check" in loaded) return [...examineNode(), loaded];
  const findings = [
    examineNode(),
    await examined("settings", () => examineSettings(loaded, configurationPath(flags), now())),
    await examined("ledger", () => examineLedger(loaded, now())),
    await examined("state", () => examineState(loaded)),
    await examined("disk", () => examineDisks(loaded)),
    await examined("store", () => examineStore(loaded, now)),
    await examined("publication", () => examinePublication(loaded, now())),
    await examined("chain", () => examineChain(loaded, now)),
    url === undefined ? [] : await examined("public side", () => examinePublicSide(url)),
  ];
  return findings.flat();
}

function settingsOrFinding(flags: Readonly<Record<string, unknown>>): Settings | Finding {
  try {
    return loadSettings(flags, ["ledger", "store"]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return wrong("settings", `${error.code}: ${error.message}`, error.hint);
  }
}

function lineOf({ check, ok, saw, todo }: Finding): string {
  return `${ok ? "ok " : "FIX"} ${check.padEnd(12)} ${saw}${todo === null ? "" : `${/[.?]$/.test(saw) ? "" : "."} ${todo}`}`;
}

function urlArgument(text: string): URL {
  const url = webUrl(text);
  if (url === undefined) throw new InvalidArgumentError("Give an http or https URL.");
  return url;
}
