/** A long-running command under test: its output, its log records and its exit. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type Finished, startCli } from "./cli.ts";
import { stop } from "./processes.ts";

export type LogRecord = Readonly<Record<string, unknown>>;

export interface RunningCli {
  readonly process: ChildProcess;
  /** Everything printed so far, on both streams. */
  output(): string;
  /** Waits until the output matches `text` or the process exits, and returns the output. */
  printed(text: string | RegExp): Promise<string>;
  /** The next JSON log record whose message starts with `message`. Fails if the process exits first. */
  logged(message?: string): Promise<LogRecord>;
  /** Sends the signal, if given, and waits for the exit. */
  ended(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Starts the built command. It is killed when the test ends. */
export function runningCli(...started: Parameters<typeof startCli>): RunningCli {
  const child = startCli(...started);
  onTestFinished(() => stop(child));
  return followed(child);
}

/** Follows the output of a process with pipes, from its start. */
export function followed(child: ChildProcess): RunningCli {
  const printedText = { stdout: "", stderr: "", both: "", isComplete: false };
  let consumed = 0;
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (data: Buffer) => {
      printedText[name] += data;
      printedText.both += data;
      child.emit("printed");
    });
  }
  const closed = once(child, "close").then(() => {
    printedText.isComplete = true;
    child.emit("printed");
  });
  const more = () => once(child, "printed");
  return {
    process: child,
    output: () => printedText.both,
    async printed(text) {
      while (!printedText.isComplete && !new RegExp(text).test(printedText.both)) await more();
      return printedText.both;
    },
    async logged(message = "") {
      for (;;) {
        const end = printedText.stderr.indexOf("\n", consumed);
        if (end < 0) {
          if (printedText.isComplete)
            throw new Error(`the process exited without logging "${message}": ${printedText.both}`);
          await more();
          continue;
        }
        const record = JSON.parse(printedText.stderr.slice(consumed, end)) as LogRecord;
        consumed = end + 1;
        if (String(record.msg).startsWith(message)) return record;
      }
    },
    async ended(signal) {
      if (signal !== undefined) child.kill(signal);
      await closed;
      return { exitCode: child.exitCode, stdout: printedText.stdout, stderr: printedText.stderr };
    },
  };
}
