/** A command that stays, as a test reads it: what it prints, the records of its log, and its end. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type Finished, startCli } from "./cli.ts";
import { stop } from "./processes.ts";

export type LogRecord = Readonly<Record<string, unknown>>;

export interface RunningCli {
  readonly process: ChildProcess;
  /** Everything that it has printed so far, on both streams. */
  output(): string;
  /** Waits until it has printed such a text, or has ended; returns its output. */
  printed(text: string | RegExp): Promise<string>;
  /** The next record of its JSON log whose message begins so. Fails if it ends without one. */
  logged(message?: string): Promise<LogRecord>;
  /** Sends the signal, if one is given, and waits for the end. */
  ended(signal?: NodeJS.Signals): Promise<Finished>;
}

/** The built command line. It is killed when the test ends. */
export function runningCli(...started: Parameters<typeof startCli>): RunningCli {
  const child = startCli(...started);
  onTestFinished(() => stop(child));
  return followed(child);
}

/** A process with pipes, from its start on. */
export function followed(child: ChildProcess): RunningCli {
  const said = { stdout: "", stderr: "", both: "", isWhole: false };
  let taken = 0;
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (data: Buffer) => {
      said[name] += data;
      said.both += data;
      child.emit("printed");
    });
  }
  const closed = once(child, "close").then(() => {
    said.isWhole = true;
    child.emit("printed");
  });
  const more = () => once(child, "printed");
  return {
    process: child,
    output: () => said.both,
    async printed(text) {
      while (!said.isWhole && !new RegExp(text).test(said.both)) await more();
      return said.both;
    },
    async logged(message = "") {
      for (;;) {
        const end = said.stderr.indexOf("\n", taken);
        if (end < 0) {
          if (said.isWhole) throw new Error(`it ended without "${message}": ${said.both}`);
          await more();
          continue;
        }
        const record = JSON.parse(said.stderr.slice(taken, end)) as LogRecord;
        taken = end + 1;
        if (String(record.msg).startsWith(message)) return record;
      }
    },
    async ended(signal) {
      if (signal !== undefined) child.kill(signal);
      await closed;
      return { exitCode: child.exitCode, stdout: said.stdout, stderr: said.stderr };
    },
  };
}
