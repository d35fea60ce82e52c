import { type Logger, pino } from "pino";
import type { Settings } from "./settings.ts";

/** JSON lines on stderr; stdout belongs to a command's own output. Synchronous, so that the last line is written. */
export function createLog(level: Settings["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));
}

/** One line of what went wrong; where in the code only at the level `debug`. */
export function logProblem(
  log: Logger,
  message: string,
  error: unknown,
  more: Readonly<Record<string, unknown>> = {},
): void {
  log.error({ reason: error instanceof Error ? error.message : String(error), ...more }, message);
  log.debug({ err: error }, message);
}
