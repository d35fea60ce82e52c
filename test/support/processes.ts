/**
 * Starts and stops the servers of the tests. Each listens on 127.0.0.1, uses a temporary folder and is stopped by its
 * process id.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";

/** Starts a long-running program with its output in a log file. */
export function start(command: string, args: readonly string[], log: string, options: SpawnOptions = {}): ChildProcess {
  const out = openSync(log, "a");
  return spawn(command, args, { ...options, stdio: ["ignore", out, out] });
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

/** Runs a program to its end and returns its output. Throws if it fails. */
export async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout?.on("data", (data: Buffer) => output.push(data.toString()));
  child.stderr?.on("data", (data: Buffer) => errors.push(data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}: exit ${code}\n${errors.join("")}`);
  return output.join("");
}

/** Polls until `ask` returns true. The limit catches servers that never start. A longer pause costs less. */
export async function until(what: string, ask: () => Promise<boolean>, limitMs = 120_000, pauseMs = 25): Promise<void> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    if (await ask().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`${what} did not happen within ${limitMs} ms`);
}
