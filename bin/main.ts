/** The command line: parses arguments, calls one command, sets the exit code. */
import { Command, CommanderError } from "commander";
import { packageVersion } from "../src/files/package-file.ts";
import { report } from "./cli/report-failure.ts";
import { nameSourceFiles } from "./cli/stack-traces.ts";
import { addCommands } from "./commands/all.ts";

export async function main(argv: string[]): Promise<void> {
  nameSourceFiles();
  const program = new Command("noonmark")
    .description("Publishes accepted measurements and safe chain state as a read-only JSON API in static files.")
    .version(packageVersion())
    .option("--debug", "print stack traces of failures")
    .showHelpAfterError("(noonmark --help lists the commands)")
    .exitOverride();
  try {
    await addCommands(program, argv.slice(2));
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else process.exitCode = report(error, argv.includes("--debug"));
  }
}
