/** Runs the built command line as a user would, each in a process of its own. `build.ts` has built it from these sources. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

export const PROGRAM = join(import.meta.dirname, "../../bin/noonmark.js");

export interface Finished {
  /** null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** This process's variables without its own settings, and then `variables`. */
export function cliEnvironment(variables: Variables = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("NOONMARK_"));
  return { ...Object.fromEntries(inherited), ...variables };
}

/** Starts it without waiting. */
export function startCli(
  arguments_: readonly string[],
  cwd: string,
  variables: Variables = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(process.execPath, [PROGRAM, ...arguments_], {
    cwd,
    env: cliEnvironment(variables),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs it to its end, with `input` on its standard input. */
export async function runCli(
  arguments_: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
  variables: Variables = {},
): Promise<Finished> {
  const child = startCli(arguments_, cwd, variables);
  // A command that fails before it reads closes the pipe: its exit code shows that.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exitCode: child.exitCode, stdout, stderr };
}
