/** The log of a command that runs for long (`publish`, `serve`, `ingest --follow`): its form, and lines that several commands share. */
import { fstatSync } from "node:fs";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import type { ClockMove } from "../../publish/clock/clock.ts";
import { printableValues } from "../../src/values/printable.ts";
import { endingOf } from "./messages.ts";
import type { Settings } from "./settings/settings.ts";

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (word) => ({ level: word }), log: printableFields },
};
const STDERR = 2;

/** These fields hold foreign text, and a log is read on a terminal. An error has its own serializer. */
function printableFields(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...others } = fields;
  return { ...printableValues(others), ...(err === undefined ? {} : { err }) };
}

/**
 * A log on stderr; stdout belongs to a command's own output (docs/spec/people.md#packaging). Synchronous, so that the
 * last line is written.
 */
export async function createLog(settings: LogSettings): Promise<Logger> {
  const level = settings.logLevel;
  return pino({ ...OPTIONS, level }, isReadable(settings) ? await readableLines() : json());
}

type LogSettings = Pick<Settings, "logLevel" | "logFormat">;

function isReadable({ logFormat }: LogSettings): boolean {
  return logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY);
}

/**
 * Runs a command with a log to its end. If the log is JSON, a failure that ends the command is its last line, and the process
 * gets its exit code. Otherwise the failure is thrown, and printed like any other.
 */
export async function loggedToItsEnd(log: Logger, settings: LogSettings, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (isReadable(settings)) throw error;
    const { code, message, hint, exitCode } = endingOf(error);
    log.fatal({ code, ...(hint === undefined ? {} : { hint }) }, message);
    log.debug({ err: error }, message);
    process.exitCode = exitCode;
  }
}

function json(): DestinationStream {
  const lines = pino.destination({ fd: STDERR, sync: true });
  if (!isJournal()) return lines;
  return { write: (line) => lines.write(`<${PRIORITIES[/^{"level":"(\w+)"/.exec(line)?.[1] ?? ""] ?? 6}>${line}`) };
}

/** journald reads a line's priority from its prefix; the numbers are syslog's. */
const PRIORITIES: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 };

/** systemd names the stream that its journal reads, so that a redirected one is recognised. */
function isJournal(): boolean {
  const { dev, ino } = fstatSync(STDERR);
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`;
}

/** Only a log for people needs this module. */
async function readableLines() {
  // A CommonJS package has only a default export in the built program.
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination: STDERR,
    sync: true,
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    singleLine: true,
    // The same text as in JSON, so that it can be found.
    translateTime: false,
  });
}

/** One line about an error; its place in the code only at the level `debug`. */
export function logProblem(
  log: Logger,
  message: string,
  error: unknown,
  more: Readonly<Record<string, unknown>> = {},
): void {
  log.error({ reason: error instanceof Error ? error.message : String(error), ...more }, message);
  log.debug({ err: error }, message);
}

/** The reports of a metrics page. */
export function metricsLog(log: Logger): { defect(error: unknown): void; started(url: string): void } {
  return {
    defect: (error) => logProblem(log, "the metrics met a defect", error),
    started: (url) => log.info({ url }, "metrics"),
  };
}

/** Logs a move of this machine's clock. `meanwhile` is what the process does while the clock is not trusted. */
export function logClockMove(log: Logger, move: ClockMove | undefined, meanwhile: string): void {
  if (move === undefined) return;
  if (move.kind === "returned") {
    log.info({ code: "clock_returned" }, "this machine's clock is again where it was");
    return;
  }
  const seconds = Math.round(Math.abs(move.byMs) / 1_000);
  const moved = `this machine's clock moved ${move.byMs > 0 ? "ahead" : "back"} by ${seconds} s`;
  if (move.kind === "accepted") {
    const why = move.because === "store" ? "the store's clock agrees with it" : "it has been steady for a minute";
    log.warn({ code: "clock_accepted", movedByMs: move.byMs }, `${moved}; ${why}, so it is used from now on`);
    return;
  }
  log.warn({ code: "clock_moved", movedByMs: move.byMs }, `${moved}; ${meanwhile}`);
}

const QUIET_MS = 10_000;

/**
 * Reports the first error, then at most one in ten seconds with the number in between: a store that is down fails every request,
 * and the log needs one line about it.
 */
export function rareReport(
  report: (error: unknown, before: number) => void,
  monotonic: () => number,
): (error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let held = 0;
  return (error) => {
    const now = monotonic();
    if (now < silentUntil) {
      held++;
      return;
    }
    report(error, held);
    held = 0;
    silentUntil = now + QUIET_MS;
  };
}
