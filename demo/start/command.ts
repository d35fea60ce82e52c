/** Runs a built `noonmark` command as a child process and writes its output to a log file. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../src/values/failure.ts";

const ROOT = join(import.meta.dirname, "../..");
const END_WITH_PARENT = join(import.meta.dirname, "end-with-parent.ts");
const STOP_TIMEOUT_MS = 10_000;
const LAST_LINES = 5;

export class Command {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #log: string;
  /** The exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;

  /** `name` is the subcommand. Throws `Failure` in a checkout that is not built. */
  constructor(
    name: string,
    options: { readonly flags: readonly string[]; readonly configuration: string; readonly log: string },
  ) {
    if (!existsSync(join(ROOT, "dist/bin/main.js"))) {
      throw new Failure("not_built", "the command line is not built");
    }
    this.name = name;
    this.#log = options.log;
    const log = openSync(options.log, "w");
    // A separate process group: Ctrl-C signals only the demo, which then stops its commands.
    this.#child = spawn(
      process.execPath,
      [
        "--import",
        END_WITH_PARENT,
        join(ROOT, "bin/noonmark.js"),
        name,
        ...options.flags,
        "--config",
        options.configuration,
      ],
      { stdio: ["ignore", log, log, "ipc"], detached: true, env: withoutSettings(process.env) },
    );
    closeSync(log);
    this.ended = new Promise((resolve) => this.#child.once("exit", (code) => resolve(code)));
  }

  /** Sends SIGTERM, then SIGKILL after a timeout. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** The last lines of its log. */
  lastLogLines(): string {
    return readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-LAST_LINES).join("\n");
  }
}

/** Removes NOONMARK_* variables. They would override the demo's configuration and could point it at a real store. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("NOONMARK_")));
}
