/**
 * What is due when a publisher begins, and the checkpoint that it leaves in the lease object: the ledger position up to which all
 * installations are published. A publisher that takes over plans only the installations that changed since
 * (docs/spec/publishing.md#ten-thousand).
 */
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { Due } from "./due.ts";
import type { Known } from "./known.ts";
import { type Learning, learn } from "./learn.ts";
import type { Checkpoint } from "./lease/lease-record.ts";
import { type Responses, storedIndex, subjectOf } from "./plan/histories.ts";

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
  /** Installations whose published history is abandoned. */
  readonly newHistories: readonly string[];
  /** Epoch ms. */
  readonly at: number;
}

/** Reads the index, and starts new histories. Throws `StoreUnavailable`, `Failure` format_unknown. */
export async function dueAtStart(beginning: Beginning): Promise<Due> {
  const { known, minimumPutInterval, newHistories, at } = beginning;
  await learn([{ is: "index" }], beginning);
  const from = resumable(beginning) ? beginning.checkpoint : null;
  const due = new Due(minimumPutInterval, from === null ? undefined : { seq: from.seq, check: from.check });
  for (const id of from?.left ?? []) due.replan(id, at);
  // Responses of other installations that an earlier process published change by time, too.
  for (const { key, states } of known.all()) {
    const next = states[1]?.from;
    if (next !== undefined && parseInstallationTelemetryKey(key) !== undefined) due.resume(key, next);
  }
  for (const id of newHistories) await startHistory(id, beginning);
  return due;
}

/**
 * True if this process plans first only the installations that changed since the checkpoint, and those that were unpublished
 * then. It plans all of them in these cases:
 *
 * - they are few, or `force` is set, or a new history is started;
 * - another program version published, whose responses may differ;
 * - the stored index is missing, is an older version, or has another configured installation.
 */
function resumable({ checkpoint, known, configured, program, force, newHistories }: Beginning): boolean {
  const index = storedIndex(known);
  if (checkpoint === null || index === undefined || index === "lost" || index.configured !== configured) return false;
  const isFew = index.histories.size <= FULL_SCAN_LIMIT;
  const isOlder = (known.floor(INSTALLATIONS_KEY)?.at ?? 0) < (checkpoint.indexAt ?? 0);
  return checkpoint.program === program && !isOlder && !force && !isFew && newHistories.length === 0;
}

/** Abandons the published history of an installation, for `--new-history`. The next one begins at position 1. */
async function startHistory(id: string, beginning: Beginning): Promise<void> {
  for (;;) {
    const { subject, unknown } = subjectOf(id, beginning);
    if (unknown.length === 0) {
      const { history, isPublished } = subject;
      // Only the name is kept in memory: if it does not get into the index, the next process knows nothing of it.
      if (isPublished) beginning.known.unnamed.set(id, String(Number(history) + 1));
      return;
    }
    await learn(unknown, beginning);
  }
}

export interface Published {
  readonly known: Known;
  readonly due: Due;
  /** The version of this program. */
  readonly program: string;
  selected(resource: ResourceName): boolean;
}

/** Returns the checkpoint to write now, or `before` if it cannot advance. */
export function checkpointOf(
  { known, due, program, selected }: Published,
  before: Checkpoint | null,
): Checkpoint | null {
  if (!selected("telemetry")) return before;
  if (due.point === undefined) return null;
  if (due.isUnpublished(INSTALLATIONS_KEY)) return before;
  // The stored index does not name some of these yet.
  const left = new Set([...due.unpublished(), ...known.unnamed.keys()]);
  const indexAt = known.floor(INSTALLATIONS_KEY)?.at;
  return left.size > UNPUBLISHED_LIMIT ? before : { ...due.point, left: [...left], program, indexAt };
}
