import { type Logger, pino } from "pino";
import type { Settings } from "./settings.ts";

/** JSON lines on stderr; stdout belongs to a command's own output. Synchronous, so that the last line is written. */
export function createLog(level: Settings["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));
}
