/** Runs the built `noonmark` command in a separate process, as a user would. `build.ts` builds it first. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

export const PROGRAM = join(import.meta.dirname, "../../bin/noonmark.js");

export interface Finished {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** This process's environment without NOONMARK_* variables, plus `variables`. */
export function cliEnvironment(variables: Variables = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("NOONMARK_"));
  return { ...Object.fromEntries(inherited), ...variables };
}

/** Starts the command and does not wait. */
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

/** Runs the command to its end, with `input` on standard input. */
export async function runCli(
  arguments_: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
  variables: Variables = {},
): Promise<Finished> {
  const child = startCli(arguments_, cwd, variables);
  // A command that fails early closes the pipe before it reads. Its exit code reports the failure.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exitCode: child.exitCode, stdout, stderr };
}
