/** Runs the command line from its sources, as a user would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const ENTRY = new URL("./cli-entry.ts", import.meta.url).pathname;

export interface Finished {
  /** null where a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts it without waiting; nothing of this process's own settings reaches it. */
export function startCli(arguments_: readonly string[], cwd: string): ChildProcess {
  const settings = Object.keys(process.env).filter((name) => name.startsWith("NOONMARK_"));
  const env = {
    ...process.env,
    ...Object.fromEntries(settings.map((name) => [name, undefined])),
    NODE_NO_WARNINGS: "1",
  };
  return spawn(process.execPath, [ENTRY, ...arguments_], { cwd, env });
}

/** Runs it to its end, with `input` on its standard input. */
export async function runCli(
  arguments_: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
): Promise<Finished> {
  const child = startCli(arguments_, cwd);
  // A command that fails before it reads closes the pipe: that is seen in its exit code.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, "close")]);
  return { exitCode: child.exitCode, stdout, stderr };
}

function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? Promise.resolve("") : text(stream);
}
