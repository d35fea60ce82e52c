/** Starting and stopping the servers of these tests: each on 127.0.0.1, in a folder of its own, ended by its id. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";

/** Starts a program that stays; what it prints goes to a file. */
export function start(command: string, args: readonly string[], log: string, options: SpawnOptions = {}): ChildProcess {
  const out = openSync(log, "a");
  return spawn(command, args, { ...options, stdio: ["ignore", out, out] });
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** Runs a program to its end; gives its output, throws where it fails. */
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

/** Asks until the result is true; the limit is for a server that never comes up. */
export async function until(what: string, ask: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    if (await ask().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what} did not happen within ${limitMs} ms`);
}
