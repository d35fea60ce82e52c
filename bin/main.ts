/** The command line: arguments in, one command called, exit code out. */
import { Command, CommanderError } from "commander";
import { report } from "./cli/report-failure.ts";
import { packageVersion } from "./cli/version.ts";
import { COMMANDS } from "./commands/all.ts";

export async function main(argv: string[]): Promise<void> {
  const program = new Command("noonmark")
    .description("Publishes accepted measurements and safe chain state as static HTTP answers.")
    .version(packageVersion())
    .option("--debug", "print stack traces of failures")
    .showHelpAfterError("(noonmark --help lists the commands)")
    .exitOverride();
  for (const register of COMMANDS) register(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else process.exitCode = report(error, argv.includes("--debug"));
  }
}
