/** `noonmark verify --log-key`: the checks of a signed log, in order. */
import type { Transport } from "../../../src/judge/exchange.ts";
import { jsonOf } from "../../../src/judge/exchange.ts";
import type { Report } from "../../../src/judge/report.ts";
import { publicationStatusSchema } from "../../../src/resources/publication-status/contract.ts";
import { cutOff } from "../../../src/verify/connection.ts";
import { RUN_COMPLETE } from "../../../src/verify/verify.ts";
import { progressBar } from "../progress.ts";
import { checkLog } from "./log-check.ts";
import { codesAsFindings, LOG, LOG_SUBJECT } from "./log-rules.ts";
import { replay } from "./replay.ts";

export interface LogFlags {
  readonly base: URL;
  readonly logKey: readonly string[];
  readonly since?: string;
  readonly receipt?: string;
  readonly replay?: boolean;
  readonly rpcUrl?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly lagMs?: number;
}

/** Telemetry and observations are put within this time after the checkpoint, and caches keep them for a few seconds. */
const LAG_MS = 15_000;

/**
 * Returns lines for people. A run that is cut off keeps its findings. Throws `Failure` log_key_invalid, format_unknown or
 * file_unwritable, and `NoResponse`.
 */
export async function verifyLog(report: Report, flags: LogFlags, send: Transport): Promise<readonly string[]> {
  const { base, logKey: keys, since, receipt, rpcUrl: rpcUrls, signal, lagMs = LAG_MS } = flags;
  const progress = progressBar(process.stderr, "{bar} {percentage}% | {value} entries checked");
  const onProgress = (entries: number, of: number) => progress.show(entries, of, {});
  const lines: string[] = [];
  let left = "the log";
  try {
    if (!(await hasPublicLog(report, send))) return [];
    const check = { base, keys, since, receipt, rpcUrls, signal, lagMs, onProgress };
    lines.push(...(await checkLog(report, check)));
    left = "the replay";
    if (flags.replay === true) {
      lines.push(...((await codesAsFindings(report, () => replay(report, check, send))) ?? []));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const goesOn = since === undefined || left !== "the log" ? "" : `; the next run with ${since} goes on there`;
    report.skip(
      { name: RUN_COMPLETE },
      `the run was cut off: ${cutOff(signal).message}; not judged to the end: ${left}${goesOn}`,
    );
  } finally {
    progress.stop();
  }
  return lines;
}

async function hasPublicLog(report: Report, send: Transport): Promise<boolean> {
  const reply = await send({ method: "GET", target: "/status.json", headers: {} });
  const { data } = publicationStatusSchema.safeParse(jsonOf(reply));
  const log = data?.log;
  const isPublic = log !== undefined && log !== null && log.origin !== null;
  report.check(LOG.log_unsigned, LOG_SUBJECT, isPublic, () => ({
    expected: "the origin of a signed log in /status.json",
    saw: data === undefined ? `status ${reply.status}` : "a log that is not public",
  }));
  return isPublic;
}
