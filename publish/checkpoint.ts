/**
 * What is due when a publisher begins, and the checkpoint that it leaves in the lease object: the state of the log up to which all
 * installations are published. A publisher that takes over plans only the installations that changed since
 * (docs/spec/publishing.md#ten-thousand).
 */
import { FIRST_LOG } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { Failure } from "../src/values/failure.ts";
import { Due } from "./due.ts";
import type { Known } from "./known.ts";
import { type Learning, learn } from "./learn.ts";
import type { Checkpoint } from "./lease/lease-record.ts";
import { logLookups, type Responses, reconcileListed } from "./plan/check.ts";
import { storedCheckpoint } from "./plan/log-state.ts";

/** A publisher with at most this many installations plans all of them at its start, which also finds damage. */
const FULL_SCAN_LIMIT = 64;

/** At most this many ids fit in the lease. If more are unpublished, the previous checkpoint is kept. */
const UNPUBLISHED_LIMIT = 64;

export interface Beginning extends Learning, Responses {
  readonly checkpoint: Checkpoint | null;
  /** The version of this program. */
  readonly program: string;
  /** Write every object. */
  readonly force: boolean;
  readonly minimumPutInterval: number;
  /** The number of the log with which the published one is replaced. */
  readonly newLog: number | undefined;
  /** Epoch ms. */
  readonly at: number;
}

/** Reads the index, finds the published log, and starts a new one. Throws `StoreUnavailable`, `Failure` format_unknown. */
export async function dueAtStart(beginning: Beginning): Promise<Due> {
  const { known, minimumPutInterval, newLog, at } = beginning;
  for (let lookups = logLookups(known); lookups.length > 0; lookups = logLookups(known)) {
    await learn(lookups, beginning);
  }
  if (isOlderIndex(beginning)) {
    await learn([{ is: "installations" }], beginning);
    reconcileListed(known);
  }
  if (newLog !== undefined) startLog(newLog, known);
  const from = resumable(beginning) ? beginning.checkpoint : null;
  const due = new Due(minimumPutInterval, from === null ? undefined : { size: from.size, root: from.root });
  for (const id of from?.left ?? []) due.replan(id, at);
  // Responses of other installations that an earlier process published change by time, too.
  for (const { key, states } of known.objects.all()) {
    const next = states[1]?.from;
    if (next !== undefined && parseInstallationTelemetryKey(key) !== undefined) due.resume(key, next);
  }
  return due;
}

/** True if the lease's record is of a newer index than the stored one. */
function isOlderIndex({ known, checkpoint }: Beginning): boolean {
  return (known.objects.floor(INSTALLATIONS_KEY)?.at ?? 0) < (checkpoint?.indexAt ?? 0);
}

/**
 * True if this process plans first only the installations that changed since the checkpoint, and those that were unpublished
 * then. It plans all of them in these cases:
 *
 * - they are few, or `force` is set, or a new log is started;
 * - another program version published, whose responses may differ;
 * - the stored index is missing, is an older version, or has another configured installation.
 */
function resumable(beginning: Beginning): boolean {
  const { checkpoint, known, configured, program, force, newLog } = beginning;
  const index = known.objects.index;
  if (checkpoint === null || index === undefined || index === "lost" || index.configured !== configured) return false;
  const isFew = index.installations.size <= FULL_SCAN_LIMIT;
  return checkpoint.program === program && !isOlderIndex(beginning) && !force && !isFew && newLog === undefined;
}

/** Abandons the published log. The new one begins with the index that names it. Throws `Failure` new_log_not_next. */
function startLog(number: number, known: Known): void {
  const { log = FIRST_LOG } = known;
  // A run that was killed has named the new log, and committed nothing of it.
  const isBegun = storedCheckpoint(known, log) === undefined;
  const next = isBegun ? log : log + 1;
  if (number !== next && number !== log + 1) {
    const message = `log ${log} is published, so the next one is ${next}, not ${number}`;
    throw new Failure("new_log_not_next", message, { facts: { is: "next_log", newLog: next } });
  }
  known.log = number;
}

export interface Published {
  readonly known: Known;
  readonly due: Due;
  /** The version of this program. */
  readonly program: string;
  /** The configured installation. */
  readonly configured: string;
}

/** Returns the checkpoint to write now, or `before` if it cannot advance. */
export function checkpointOf(
  { known, due, program, configured }: Published,
  before: Checkpoint | null,
): Checkpoint | null {
  // Nothing is published from a refused ledger, so what was published before remains the whole.
  if (due.point === undefined) return due.isLedgerRefused(configured) ? before : null;
  if (due.isUnpublished(INSTALLATIONS_KEY)) return before;
  // The stored index does not list some of these yet.
  const left = new Set([...due.unpublished(), ...known.unlisted]);
  const indexAt = known.objects.floor(INSTALLATIONS_KEY)?.at;
  return left.size > UNPUBLISHED_LIMIT ? before : { ...due.point, left: [...left], program, indexAt };
}
