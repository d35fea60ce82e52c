/** The log of long-running commands (`publish`, `serve`, `ingest --follow`): its format, and shared lines. */
import { fstatSync } from "node:fs";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { printable, printableValues } from "../../src/values/printable.ts";
import { errorMessage, fieldsOf } from "../../src/values/unknown.ts";
import { exitCodeOf, reported } from "./failures.ts";
import { endingOf } from "./messages.ts";
import type { Settings } from "./settings/settings.ts";

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  hooks: {
    logMethod(given, method) {
      const shown = given.map((one: unknown) => (typeof one === "string" ? printable(one, Infinity) : one));
      method.apply(this, shown as typeof given);
    },
  },
  formatters: { level: (word) => ({ level: word }), log: printableFields },
};
const STDERR = 2;

/** Escapes fields, as the hook does messages, because logs are read on terminals. Errors have a separate serializer. */
function printableFields(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...others } = fields;
  return { ...printableValues(others), ...(err === undefined ? {} : { err }) };
}

/**
 * Creates a log on stderr; stdout is for a command's output (docs/spec/people.md#packaging). It is synchronous, so that
 * the last line is written.
 */
export async function createLog(settings: LogSettings): Promise<Logger> {
  const level = settings.logLevel;
  return pino({ ...OPTIONS, level }, isReadable(settings) ? readableLines() : json());
}

type LogSettings = Pick<Settings, "logLevel" | "logFormat">;

function isReadable({ logFormat }: LogSettings): boolean {
  return logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY);
}

/**
 * Runs a command that logs. If it fails and the log is JSON, the failure is the last line, and the process gets its
 * exit code. Otherwise throws the failure, which is printed like any other.
 */
export async function loggedToItsEnd(log: Logger, settings: LogSettings, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (isReadable(settings)) throw error;
    const failure = endingOf(error);
    const { code, message, hint } = reported(failure);
    log.fatal({ code, hint }, message);
    log.debug({ err: error }, message);
    process.exitCode = exitCodeOf(failure);
  }
}

function json(): DestinationStream {
  const lines = pino.destination({ fd: STDERR, sync: true });
  if (!isJournal()) return lines;
  return { write: (line) => lines.write(`<${PRIORITIES[/^{"level":"(\w+)"/.exec(line)?.[1] ?? ""] ?? 6}>${line}`) };
}

/** journald reads a line's priority (a syslog number) from its prefix. */
const PRIORITIES: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 };

/** True if stderr is the journal. systemd names that stream, so a redirected stderr is recognised. */
function isJournal(): boolean {
  const { dev, ino } = fstatSync(STDERR);
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`;
}

/** Lines for people: `[time] LEVEL: message {fields}`. The stack of an error follows on lines of its own. */
function readableLines(): DestinationStream {
  const lines = pino.destination({ fd: STDERR, sync: true });
  return {
    write(line) {
      const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
      const rest = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
      const { stack } = fieldsOf(err);
      lines.write(
        `[${time}] ${String(level).toUpperCase()}: ${msg}${rest}\n${stack === undefined ? "" : `${stack}\n`}`,
      );
    },
  };
}

/** Logs an error in one line, with its stack only at the level `debug`. */
export function logProblem(
  log: Logger,
  message: string,
  error: unknown,
  more: Readonly<Record<string, unknown>> = {},
): void {
  log.error({ reason: errorMessage(error), ...more }, message);
  log.debug({ err: error }, message);
}

/** Logs what a metrics page reports. */
export function metricsLog(log: Logger): { defect(error: unknown): void; started(url: string): void } {
  return {
    defect: (error) => logProblem(log, "the metrics met a defect", error),
    started: (url) => log.info({ url }, "metrics"),
  };
}

const QUIET_MS = 10_000;

/** Reports the first event, then at most every ten seconds the number of events since the last report. */
export function rareReport(report: (count: number) => void, monotonic: () => number): () => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    count++;
    const now = monotonic();
    if (now < silentUntil) return;
    report(count);
    count = 0;
    silentUntil = now + QUIET_MS;
  };
}
