/**
 * Up to which change of the ledger the installations are published, as the lease object keeps it: whoever takes over
 * asks for those alone that have moved since (docs/spec/publishing.md#ten-thousand).
 */
import { isShardKey } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/keys.ts";
import type { BuildSchedule } from "../answers/build-schedule.ts";
import { MovedInstallations } from "../due/moved-installations.ts";
import type { SettledPoint } from "../lease/lease-record.ts";
import type { Histories } from "../observations/histories.ts";
import type { Published } from "../state/published.ts";
import type { Session } from "./session.ts";

/** So few are all planned: that is bounded too, and what is damaged among them is found. */
const FEW = 64;

/** As many ids stand in the lease object; where more are left the point before stays, from which they have moved. */
const MOST_LEFT = 64;

export interface Resumption {
  readonly settled: SettledPoint | null;
  readonly histories: Histories;
  /** The version of this program. */
  readonly program: string;
  /** Put everything. */
  readonly force: boolean;
}

/**
 * What this process has to plan first: those that have moved since that point, and what was left there. All of them
 * where they are few, where everything is put, where another program may have built other answers, and where the index
 * does not say that they are published for this configured installation.
 */
export function resumed({ settled, histories, program, force }: Resumption): MovedInstallations {
  const { index, configured } = histories;
  const isKnown = index.configuredBefore === configured;
  const isTold = settled !== null && settled.program === program;
  if (!isTold || !isKnown || force || index.isWholeWithin(FEW)) return new MovedInstallations();
  const { seq, check, left } = settled;
  return new MovedInstallations({ point: { seq, check }, left });
}

/** Of installations other than the configured one, what a process before has put and remembers falls due in its time. */
export function resumeDue(schedule: BuildSchedule, published: Published): void {
  for (const { key, states } of published.all()) {
    const next = states[1]?.from;
    if (next !== undefined && parseInstallationTelemetryKey(key) !== undefined) schedule.resume(key, next);
  }
}

/** What the lease object may say now; `before` where that has to stay. */
export function settledPoint(session: Session, program: string, before: SettledPoint | null): SettledPoint | null {
  const { selected, moved, schedule, tilePace } = session;
  if (!selected("telemetry") || !selected("observations")) return before;
  if (moved.point === undefined) return null;
  const left = new Set([...moved.unfinished, ...tilePace.waiting()]);
  for (const key of schedule.waiting()) {
    if (key === INSTALLATIONS_KEY || isShardKey(key)) return before;
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) left.add(id);
  }
  return left.size > MOST_LEFT ? before : { ...moved.point, left: [...left], program };
}
