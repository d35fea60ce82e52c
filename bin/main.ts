/** The command line: parses arguments, runs one command, and sets the exit code. */
import { Command, CommanderError } from "commander";
import { packageVersion } from "../src/files/package-file.ts";
import { Failure } from "../src/values/failure.ts";
import { checkPaths } from "./cli/arguments.ts";
import { report, write } from "./cli/messages.ts";
import { addCommands } from "./commands/all.ts";

export async function main(argv: string[]): Promise<void> {
  let help = "";
  const program = new Command("noonmark")
    .description("Publishes accepted measurements and safe chain state as a read-only JSON API in static files.")
    .version(packageVersion())
    .option("--debug", "print stack traces of failures")
    .hook("preAction", (_, command) => checkPaths(command))
    // `usageFailure` replaces commander's message, which has no code.
    .configureOutput({ outputError() {}, writeOut: (text) => (help += text) })
    .exitOverride();
  try {
    await addCommands(program, argv.slice(2));
    await program.parseAsync(argv).catch((error: unknown) => {
      if (!isHelp(error)) throw error;
    });
    await write(help);
  } catch (error) {
    const failure = error instanceof CommanderError ? usageFailure(error) : error;
    process.exitCode = report(failure, argv.includes("--debug"));
  }
}

/** Commander ends with an error after help or the version that was requested. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function usageFailure({ code, message }: CommanderError): Failure {
  if (code === "commander.help") return new Failure("usage", "no known command is named");
  const [said = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const found = suggestion === undefined ? said : `${said} ${suggestion}`;
  return new Failure("usage", found.replace(/\.$/, ""));
}
