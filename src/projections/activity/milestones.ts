/**
 * The measurement part of the activity feed (docs/spec/api.md#activity; docs/spec/api.md#activity-policy): milestones
 * by policy v1 over all receipts in the order of their positions, new ones only.
 */
import type { Database } from "better-sqlite3";
import { readTelemetryIdAt } from "../../ledger/read/receipts.ts";
import type { Installation } from "../../ledger/watermarks.ts";
import { statement } from "../../sqlite/statement.ts";
import { measurementEventKey } from "../../values/activity-key.ts";
import { noonDate, noonDay } from "../../values/noon-day.ts";
import type { Databases } from "../databases.ts";
import { addActivityEvent, dropMeasurementEvents } from "./activity-events.ts";
import {
  dailyMilestones,
  isSpeedRecord,
  isStreakMilestone,
  lifetimeMilestones,
  STREAK_DAY_MM,
  speedMilestones,
} from "./milestone-policy.ts";
import { followedReceipts, forgetMilestoneState, MilestoneState } from "./milestone-state.ts";

/** Receipts of one step: about a tenth of a second. */
const STEP = 100_000;

/**
 * One step; true while the ledger holds more receipts than it took in. Where the ledger is another than the one
 * followed, or there is none (`ledger` undefined), it begins again from nothing.
 */
export function advanceMilestones(
  projections: Database,
  ledger: Database | undefined,
  installation: Installation | undefined,
  step = STEP,
): boolean {
  const followed = followedReceipts(projections);
  const isSame =
    ledger !== undefined &&
    installation !== undefined &&
    followed?.installationId === installation.id &&
    readTelemetryIdAt(ledger, installation.no, followed.position) === followed.telemetryId;
  if (followed !== undefined && !isSame) forgetMilestones(projections);
  if (ledger === undefined || installation === undefined) return false;
  return follow({ ledger, projections }, installation, isSame ? (followed?.position ?? 0) : 0, step);
}

/** Whether receipts of the installation have not been followed yet. */
export function isBehindReceipts(projections: Database, ledger: Database, { no }: Installation): boolean {
  const sql = "SELECT ifnull(max(position), 0) FROM receipt WHERE installation = ?";
  const newest = statement<[number], number>(ledger, sql).pluck().get(no) as number;
  return (followedReceipts(projections)?.position ?? 0) < newest;
}

interface Row {
  readonly position: number;
  readonly telemetryId: string;
  readonly counterEpoch: string;
  readonly observedAt: number;
  readonly receivedAt: number;
  readonly speed: number;
  readonly distance: number;
}

/** What a measurement event keeps of its receipt; instants in epoch ms. */
export interface MeasurementEventSource {
  readonly position: number;
  readonly telemetryId: string;
  readonly observedAt: number;
  readonly receivedAt: number;
}

function follow({ ledger, projections }: Databases, installation: Installation, after: number, step: number): boolean {
  const sql = `SELECT position, telemetry_id AS telemetryId, counter_epoch AS counterEpoch, observed_at AS observedAt,
      received_at AS receivedAt, speed_mm_per_second AS speed, distance_mm AS distance
    FROM receipt WHERE installation = ? AND position > ? ORDER BY position LIMIT ?`;
  const rows = statement<[number, number, number], Row>(ledger, sql);
  return projections.transaction(() => {
    const state = new MilestoneState(projections);
    let last: Row | undefined;
    for (const row of rows.iterate(installation.no, after, step)) {
      followDistance(projections, state, row);
      followSpeed(projections, state, row);
      last = row;
    }
    if (last === undefined) return false;
    state.save({ installationId: installation.id, position: last.position, telemetryId: last.telemetryId });
    return isBehindReceipts(projections, ledger, installation);
  })();
}

function followDistance(projections: Database, state: MilestoneState, row: Row): void {
  const increase = state.increase(row.counterEpoch, row.distance);
  if (increase === 0n) return;
  const lifetime = state.lifetimeMm + increase;
  for (const milestone of lifetimeMilestones(state.lifetimeMm, lifetime)) {
    const payload = { milestoneMm: Number(milestone), distanceMm: Number(lifetime) };
    add(projections, row, { kind: "lifetime_distance_milestone", value: milestone, payload });
  }
  state.lifetimeMm = lifetime;

  const day = noonDay(row.observedAt);
  const before = state.day(day);
  const total = before + increase;
  state.setDay(day, total);
  for (const milestone of dailyMilestones(before, total)) {
    const payload = { milestoneMm: Number(milestone), distanceMm: Number(total), date: noonDate(day) };
    add(projections, row, { kind: "daily_distance_milestone", value: milestone, payload });
  }
  if (before < STREAK_DAY_MM && total >= STREAK_DAY_MM) {
    const days = state.streak(day);
    const payload = { days, startDate: noonDate(day - days + 1), endDate: noonDate(day) };
    if (isStreakMilestone(days)) add(projections, row, { kind: "distance_streak", value: days, payload });
  }
}

function followSpeed(projections: Database, state: MilestoneState, row: Row): void {
  const { speed } = row;
  if (speed <= state.fastest) return;
  for (const milestone of speedMilestones(state.fastest, speed)) {
    const payload = { milestoneMmPerSecond: milestone, speedMmPerSecond: speed };
    add(projections, row, { kind: "speed_milestone", value: milestone, payload });
  }
  if (state.lastRecord === 0) {
    state.lastRecord = speed;
  } else if (isSpeedRecord(speed, state.fastest, state.lastRecord)) {
    const payload = { speedMmPerSecond: speed, previousSpeedMmPerSecond: state.lastRecord };
    add(projections, row, { kind: "speed_record", value: speed, payload });
    state.lastRecord = speed;
  }
  state.fastest = speed;
}

interface Milestone {
  readonly kind: string;
  /** Ends the event's id. */
  readonly value: bigint | number;
  readonly payload: Readonly<Record<string, unknown>>;
}

function add(projections: Database, row: Row, { kind, value, payload }: Milestone): void {
  const type = `measurement.${kind}`;
  addActivityEvent(projections, {
    key: measurementEventKey(row.observedAt, row.position, `${type}-${value}`),
    category: "measurement",
    blockNumber: null,
    type,
    source: {
      position: row.position,
      telemetryId: row.telemetryId,
      observedAt: row.observedAt,
      receivedAt: row.receivedAt,
    } satisfies MeasurementEventSource,
    payload,
  });
}

/** Forgets every milestone, so that the receipts are followed from the first one on. */
export function forgetMilestones(projections: Database): void {
  projections.transaction(() => {
    dropMeasurementEvents(projections);
    forgetMilestoneState(projections);
  })();
}
