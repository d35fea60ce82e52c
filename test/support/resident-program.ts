/**
 * The built `noonmark` command as a process that stays: it runs each command line that its parent sends, one after the
 * other (`runCli` in cli.ts).
 */
import { Readable } from "node:stream";
import type { CommandLine } from "./cli.ts";

const [built = ""] = process.argv.slice(2);
const program: Promise<{ main(argv: string[]): Promise<void> }> = import(built);

process.on("disconnect", () => process.exit());
process.on("message", async (line: CommandLine) => {
  process.chdir(line.cwd);
  process.env = { ...line.environment };
  process.argv = [process.execPath, built, ...line.arguments];
  process.exitCode = undefined;
  const stdin = Object.assign(Readable.from([Buffer.from(line.input, "base64")]), { fd: 0 });
  Object.defineProperty(process, "stdin", { configurable: true, value: stdin });
  const { main } = await program;
  await main(process.argv);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  const { exitCode = 0 } = process;
  process.stdout.write(line.endOfOutput);
  process.stderr.write(line.endOfOutput);
  process.send?.(exitCode);
});
