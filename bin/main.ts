/** The command line: parses arguments, runs one command, and sets the exit code. */

import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { packageVersion } from "../src/files/package-file.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
import { report } from "./cli/messages.ts";
import { addCommands } from "./commands/all.ts";

export async function main(argv: string[]): Promise<void> {
  nameSourceFiles();
  const program = new Command("noonmark")
    .description("Publishes accepted measurements and safe chain state as a read-only JSON API in static files.")
    .version(packageVersion())
    .option("--debug", "print stack traces of failures")
    // `usageFailure` replaces commander's message, which has no code.
    .configureOutput({ outputError() {} })
    .exitOverride();
  try {
    await addCommands(program, argv.slice(2));
    await program.parseAsync(argv);
  } catch (error) {
    const failure = error instanceof CommanderError ? usageFailure(error) : error;
    process.exitCode = failure === undefined ? 0 : report(failure, argv.includes("--debug"));
  }
}

/** Returns the failure; undefined if help or version was requested. */
function usageFailure({ code, exitCode, message }: CommanderError): Failure | undefined {
  if (exitCode === 0) return undefined;
  const options = { exit: EXIT.usage, hint: "noonmark --help lists the commands, noonmark help COMMAND its options." };
  if (code === "commander.help") return new Failure("usage", "no known command is named", options);
  const [said = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const found = suggestion === undefined ? said : `${said} ${suggestion}`;
  return new Failure("usage", found.replace(/\.$/, ""), options);
}

/**
 * Makes stack traces of the built program name source files. Reads a source map only when a trace needs it: Node's own
 * support would read every map at each start.
 */
function nameSourceFiles(): void {
  const maps = new Map<string, SourceMap | undefined>();
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => `\n    at ${sourceOf(site, maps)}`);
    return `${Error.prototype.toString.call(error)}${lines.join("")}`;
  };
}

/** Maps a line of a stack trace, such as `read (file:///…/dist/chain-ABC.js:1:2)`, to the source file. */
function sourceOf(site: NodeJS.CallSite, maps: Map<string, SourceMap | undefined>): string {
  const [url, row, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const line = site.toString();
  if (!url?.startsWith("file:") || row === null || column === null) return line;
  const path = fileURLToPath(url);
  if (!maps.has(path)) maps.set(path, mapOf(path));
  const origin = maps.get(path)?.findOrigin(row, column);
  if (origin === undefined || !("fileName" in origin)) return line;
  const source = `${resolve(dirname(path), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  return line.replace(`${url}:${row}:${column}`, () => source);
}

/** Returns a file's source map; undefined if it has none because it is a source file. */
function mapOf(path: string): SourceMap | undefined {
  const map = `${path}.map`;
  return existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, "utf8"))) : undefined;
}
