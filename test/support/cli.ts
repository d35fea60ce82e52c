/** Runs the built `noonmark` command, as a user would. `build.ts` builds it first. */
import { type ChildProcess, type ChildProcessByStdio, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

export const PROGRAM = join(import.meta.dirname, "../../bin/noonmark.js");
const BUILT = join(import.meta.dirname, "../../dist/bin/main.js");

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
  return { ...Object.fromEntries(inherited), ...FLEET, ...variables };
}

/** Most tests have facts of several installations. A test of the rule gives the setting itself. */
const FLEET = { NOONMARK_INSTALLATIONS: "any" };

/** Starts the command in a process of its own and does not wait. */
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

/** Runs the command to its end in a process of its own, with `input` on standard input. */
export async function runProcess(
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

export interface CommandLine {
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Standard input, in base64. */
  readonly input: string;
  /** Printed on both streams after the command. No command prints it. */
  readonly endOfOutput: string;
}

const END_OF_OUTPUT = "\0end of output\0";

interface Resident {
  readonly process: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects if the process ends. */
  readonly died: Promise<never>;
}

/** Processes with the program loaded that run no command now. */
const idle: Resident[] = [];

/**
 * Runs the command to its end, with `input` on standard input. The process may have run earlier commands, because most of
 * a command's time is the start of Node. Commands that run at the same time are in different processes.
 */
export async function runCli(
  arguments_: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
  variables: Variables = {},
): Promise<Finished> {
  const resident = idle.pop() ?? startResident();
  const line: CommandLine = {
    arguments: arguments_,
    cwd,
    environment: cliEnvironment(variables),
    input: Buffer.from(input).toString("base64"),
    endOfOutput: END_OF_OUTPUT,
  };
  resident.process.send(line);
  const ended = Promise.all([once(resident.process, "message"), outputOf(resident.stdout), outputOf(resident.stderr)]);
  const [[exitCode], stdout, stderr] = await Promise.race([ended, resident.died]);
  idle.push(resident);
  return { exitCode, stdout, stderr };
}

function startResident(): Resident {
  const child = fork(join(import.meta.dirname, "resident-program.ts"), [pathToFileURL(BUILT).href], {
    execArgv: [],
    silent: true,
  });
  const died = once(child, "exit").then(([exitCode, signal]) => {
    throw new Error(`a command ended its process (${exitCode ?? signal})`);
  });
  died.catch(() => undefined);
  return { process: child, stdout: piped(child.stdout), stderr: piped(child.stderr), died };
}

function piped(stream: Readable | null): Readable {
  if (stream === null) throw new Error("a resident process prints on pipes");
  return stream;
}

/** The output of one command. The next command prints only after its end. */
function outputOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      const printed = Buffer.concat(chunks).toString();
      if (!printed.endsWith(END_OF_OUTPUT)) return;
      stream.off("data", onData);
      resolve(printed.slice(0, -END_OF_OUTPUT.length));
    };
    stream.on("data", onData);
  });
}
