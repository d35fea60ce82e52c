/**
 * The published checkpoint in the lease object: the ledger position up to which all installations are published. A publisher
 * that takes over plans only the installations that changed since (docs/spec/publishing.md#ten-thousand).
 */
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { DirtyInstallations } from "./dirty-installations.ts";
import type { Known } from "./known.ts";
import type { Checkpoint } from "./lease/lease-record.ts";
import type { Pace } from "./pace.ts";
import { storedIndex } from "./plan/histories.ts";
import type { Session } from "./session.ts";

/** A publisher with at most this many installations plans all of them at its start, which also finds damage. */
const FULL_SCAN_LIMIT = 64;

/** At most this many ids fit in the lease. If more are unpublished, the previous checkpoint is kept. */
const UNPUBLISHED_LIMIT = 64;

export interface Resumption {
  readonly checkpoint: Checkpoint | null;
  readonly known: Known;
  readonly configured: string;
  /** The version of this program. */
  readonly program: string;
  /** Write every object. */
  readonly force: boolean;
}

/**
 * The installations that this process plans first: those that changed since the checkpoint, and those that were unpublished
 * then. It plans all of them in these cases:
 *
 * - they are few, or `force` is set;
 * - another program version published, whose responses may differ;
 * - the stored index is missing, is an older version, or has another configured installation.
 */
export function dirtyInstallations({ checkpoint, known, configured, program, force }: Resumption): DirtyInstallations {
  const index = storedIndex(known);
  if (index === undefined || index === "lost" || index.configured !== configured) return new DirtyInstallations();
  const isFew = index.histories.size <= FULL_SCAN_LIMIT;
  const isOlder = (known.floor(INSTALLATIONS_KEY)?.at ?? 0) < (checkpoint?.indexAt ?? 0);
  if (checkpoint === null || checkpoint.program !== program || isOlder || force || isFew) {
    return new DirtyInstallations();
  }
  const { seq, check, left } = checkpoint;
  return new DirtyInstallations({ point: { seq, check }, left });
}

/** Schedules the installations that an earlier process published for the instant at which their responses change. */
export function resumeDue(pace: Pace, known: Known): void {
  for (const { key, states } of known.all()) {
    const next = states[1]?.from;
    if (next !== undefined && parseInstallationTelemetryKey(key) !== undefined) pace.resume(key, next);
  }
}

/** Returns the checkpoint to write now, or `before` if it cannot advance. */
export function checkpointOf(session: Session, program: string, before: Checkpoint | null): Checkpoint | null {
  const { selected, dirty, pace, names, known } = session;
  if (!selected("telemetry") || !selected("observations")) return before;
  if (dirty.point === undefined) return null;
  const left = new Set([...dirty.unpublished, ...pace.waitingTiles()]);
  for (const key of pace.waiting()) {
    if (key === INSTALLATIONS_KEY) return before;
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) left.add(id);
  }
  // The stored index does not name these yet.
  for (const id of names.keys()) left.add(id);
  const indexAt = known.floor(INSTALLATIONS_KEY)?.at;
  return left.size > UNPUBLISHED_LIMIT ? before : { ...dirty.point, left: [...left], program, indexAt };
}
