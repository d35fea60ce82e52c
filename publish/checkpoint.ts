/**
 * Up to which change of the ledger the installations are published, as the lease object keeps it: whoever takes over plans
 * only those that have moved since (docs/spec/publishing.md#ten-thousand).
 */
import { isShardKey } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/keys.ts";
import { MovedInstallations } from "./due/moved-installations.ts";
import type { Known } from "./known.ts";
import type { SettledPoint } from "./lease/lease-record.ts";
import type { Pace } from "./pace.ts";
import { storedIndex } from "./plan/installations.ts";
import type { Session } from "./session.ts";

/** So few installations are all planned: that is bounded too, and what is damaged among them is found. */
const FULL_SCAN_LIMIT = 64;

/** At most this many ids fit in the lease. If more are unpublished, the previous checkpoint is kept. */
const UNPUBLISHED_LIMIT = 64;

export interface Resumption {
  readonly checkpoint: SettledPoint | null;
  readonly known: Known;
  readonly configured: string;
  /** The version of this program. */
  readonly program: string;
  /** Put everything. */
  readonly force: boolean;
}

/**
 * What this process has to plan first: the installations that have moved since the checkpoint, and those that were not
 * published there. All of them if they are few, if everything is put, if another program may have built other responses,
 * and if the index does not say that they are published for this configured installation.
 */
export function dirtyInstallations({ checkpoint, known, configured, program, force }: Resumption): MovedInstallations {
  const index = storedIndex(known);
  const isKnown = index !== undefined && index.is !== "lost" && index.configured === configured;
  const isFew = index?.is === "whole" && index.names.size <= FULL_SCAN_LIMIT;
  if (checkpoint === null || checkpoint.program !== program || !isKnown || force || isFew) {
    return new MovedInstallations();
  }
  const { seq, check, left } = checkpoint;
  return new MovedInstallations({ point: { seq, check }, left });
}

/** Installations other than the configured one: what an earlier process has put falls due in its time. */
export function resumeDue(pace: Pace, known: Known): void {
  for (const { key, states } of known.all()) {
    const next = states[1]?.from;
    if (next !== undefined && parseInstallationTelemetryKey(key) !== undefined) pace.resume(key, next);
  }
}

/** What the lease object may say now; `before` if that has to stay. */
export function checkpointOf(session: Session, program: string, before: SettledPoint | null): SettledPoint | null {
  const { selected, moved, pace, names } = session;
  if (!selected("telemetry") || !selected("observations")) return before;
  if (moved.point === undefined) return null;
  const left = new Set([...moved.unfinished, ...pace.waitingTiles()]);
  for (const key of pace.waiting()) {
    if (key === INSTALLATIONS_KEY || isShardKey(key)) return before;
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) left.add(id);
  }
  // The index could not be put: those that it does not name are planned again.
  for (const id of names.keys()) left.add(id);
  return left.size > UNPUBLISHED_LIMIT ? before : { ...moved.point, left: [...left], program };
}
