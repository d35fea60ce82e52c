/** `noonmark verify BASE_URL`: checks a deployment from outside, only by HTTP. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { ROUTES } from "../../../src/resources/table.ts";
import { Failure } from "../../../src/values/failure.ts";
import { isNameableInstallationId } from "../../../src/values/installation-id.ts";
import { connectTo } from "../../../src/verify/connection.ts";
import { NoResponse } from "../../../src/verify/exchange.ts";
import { Report, reportJson, reportLines } from "../../../src/verify/report.ts";
import { verify } from "../../../src/verify/verify.ts";
import { apiUrl, namesArgument, positiveArgument, secondsArgument, webUrl } from "../../cli/arguments.ts";
import { EXIT } from "../../cli/failures.ts";
import { print } from "../../cli/messages.ts";
import { warnOfKey } from "../../cli/settings/load-settings.ts";
import { environmentName } from "../../cli/settings/settings.ts";
import { askedToStop } from "../../cli/signals.ts";

interface Flags {
  readonly only?: ReadonlySet<string>;
  readonly installation?: string;
  readonly qps: number;
  readonly timeout: number;
  readonly watch: number;
  readonly limit?: number;
  readonly logKey?: readonly string[];
  readonly since?: string;
  readonly receipt?: string;
  readonly replay?: boolean;
  readonly rpcUrl?: readonly string[] | undefined;
  readonly json?: boolean;
}

export function registerVerify(program: Command): void {
  const names = ROUTES.map(({ name }) => name);
  const only = `only these routes: ${names.join(", ")}; log checks only the log`;
  const rpcUrl = "with --replay: also compute the chain's views again, from these nodes of yours";
  program
    .command("verify")
    .argument("[base-url]", "where the API is served, such as https://noonmark.example")
    .option("--only <routes>", only, namesArgument([...names, "log"]))
    .option("--installation <id>", "read this installation's history (default: the configured one)")
    .option("--qps <number>", "requests a second at most", positiveArgument, 50)
    .option("--timeout <seconds>", "for one request", positiveArgument, 10)
    .option("--watch <seconds>", "afterwards request every route once a second for so long", secondsArgument, 0)
    .option("--limit <seconds>", "end after so long, and print what was found", positiveArgument)
    .option("--log-key <key>", "check the signed log with this verifier key; several with commas", commaList)
    .option("--since <file>", "the log must continue what this file remembers of the last run (with --log-key)")
    .option("--receipt <telemetry-id>", "print what the log proves of this receipt (with --log-key)")
    .option("--replay", "compute the served bodies again from the log alone, and compare them (with --log-key)")
    .addOption(new Option("--rpc-url <urls>", rpcUrl).env(environmentName("rpcUrl")).argParser(nodeAddresses))
    .option("--json", "one JSON object: checks, findings, unlisted, skipped")
    .action(async (base: string | undefined, { rpcUrl, ...given }: Flags, command: Command) => {
      // The variable is that of a publisher, which may run on the same machine.
      const isGiven = command.getOptionValueSource("rpcUrl") === "cli";
      const flags = isGiven || given.replay === true ? { ...given, rpcUrl } : given;
      requireKey(flags);
      if (isGiven && rpcUrl !== undefined) warnOfKey(rpcUrl);
      const stop = new AbortController();
      void askedToStop().then((signal) => stop.abort(`it got ${signal}`));
      const { report, lines } = await judge(baseUrl(base), flags, stop.signal);
      await print(flags.json === true ? reportJson(report) : [...lines, ...reportLines(report)]);
      // The signal has been handled. Its listeners do not keep the process alive.
      if (report.findings.length > 0 || stop.signal.aborted) process.exitCode = EXIT.failed;
    });
}

/** Throws `Failure` usage (2) for an option that needs `--log-key` or `--replay`. */
function requireKey({ logKey, only, ...flags }: Flags): void {
  if (flags.rpcUrl !== undefined && flags.replay !== true) {
    throw new Failure("usage", "--rpc-url needs --replay", {
      hint: "A node is only asked to compute the served bodies again: add --replay --log-key NAME+ID+DATA.",
    });
  }
  if (logKey !== undefined) return;
  const given = (["since", "receipt", "replay"] as const).find((name) => flags[name] !== undefined);
  if (given === undefined && only?.has("log") !== true) return;
  throw new Failure("usage", `${given === undefined ? "--only log" : `--${given}`} needs --log-key`, {
    hint: "Give the verifier key of the log, which the operator publishes: --log-key NAME+ID+DATA",
  });
}

function commaList(text: string): string[] {
  return text.split(",").map((one) => one.trim());
}

function nodeAddresses(text: string): string[] {
  const addresses = commaList(text);
  if (addresses.every((one) => webUrl(one) !== undefined)) return addresses;
  throw new InvalidArgumentError("Give http or https addresses, with commas between them.");
}

/** `lines`: what the log proved, for people. */
async function judge(base: URL, flags: Flags, stop: AbortSignal) {
  const { only, installation, qps, timeout, watch, limit, logKey: keys, since, receipt, replay, rpcUrl } = flags;
  if (installation !== undefined && !isNameableInstallationId(installation)) {
    throw new Failure("invalid_setting", `--installation "${installation}" is not an installation id`, {
      hint: "Give 1 to 128 characters of A-Z a-z 0-9 . _ : -, as in the paths of the API.",
    });
  }
  const end = limit === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(limit * 1000)]);
  const connection = connectTo(base, { timeout: timeout * 1000, qps, end }, "verify");
  const { environment } = connection;
  const routes = ROUTES.filter(({ name }) => only === undefined || only.has(name));
  try {
    const isOnlyLog = only?.size === 1 && only.has("log");
    const options = { routes, installationId: installation, watch };
    const report = isOnlyLog ? new Report() : await verify(options, environment);
    if (keys === undefined) return { report, lines: [] };
    const { verifyLog } = await import("../../../src/verify/log/log.ts");
    const check = { base, keys, since, receipt, replay, rpcUrls: rpcUrl, signal: end };
    return { report, lines: await verifyLog(report, check, environment.send) };
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    throw new Failure("unreachable", `${base.href} does not respond: ${error.message}`, { cause: error });
  } finally {
    connection.close();
  }
}

function baseUrl(text: string | undefined): URL {
  const url = apiUrl(text ?? "");
  if (url !== undefined) return url;
  throw new Failure("usage", text === undefined ? "no base URL is given" : `"${text}" is not a base URL`, {
    hint: "noonmark verify https://HOST[/PREFIX], without query and credentials.",
  });
}
