/**
 * Derives the measurement part of the activity (docs/spec/api.md#activity; docs/spec/api.md#activity-policy):
 * milestones by policy v1 over all receipts in position order.
 */
import type { Database } from "better-sqlite3";
import type { MeasuredReceipt } from "../../ledger/sources.ts";
import { readValue, statement } from "../../sqlite/statement.ts";
import { measurementEventKey } from "../../values/activity-key.ts";
import { noonDate, noonDay } from "../../values/noon-day.ts";
import { forgetTotals, readTotals, writeTotals } from "../follow.ts";
import { addActivityEvents, dropMeasurementEvents, type NewActivityEvent } from "./activity-events.ts";
import type { MeasurementEventType } from "./event-types.ts";
import {
  dailyMilestones,
  isSpeedRecord,
  isStreakMilestone,
  lifetimeMilestones,
  STREAK_DAY_MM,
  speedMilestones,
} from "./milestone-policy.ts";

export const MILESTONE_TABLES = `
CREATE TABLE milestone_epoch (
  counter_epoch TEXT PRIMARY KEY,
  distance_mm INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE milestone_day (
  day INTEGER PRIMARY KEY,
  distance_mm TEXT NOT NULL
) STRICT;
`;

const MILESTONES = "milestones";

/** The part of its receipt that a measurement event stores; instants in epoch ms. */
export interface MeasurementEventSource {
  readonly position: number;
  readonly telemetryId: string;
  readonly observedAt: number;
  readonly receivedAt: number;
}

/** Adds the events of the next receipts. */
export function followMilestones(projections: Database, receipts: readonly MeasuredReceipt[]): void {
  const totals = new Totals(projections);
  const events: NewActivityEvent[] = [];
  for (const receipt of receipts) {
    followDistance(events, totals, receipt);
    followSpeed(events, totals, receipt);
  }
  addActivityEvents(projections, events);
  totals.save();
}

/** Deletes every milestone, so that the next steps follow the receipts from the first one. */
export function forgetMilestones(projections: Database): void {
  dropMeasurementEvents(projections);
  forgetTotals(projections, MILESTONES);
  projections.exec("DELETE FROM milestone_epoch; DELETE FROM milestone_day");
}

function followDistance(events: NewActivityEvent[], totals: Totals, row: MeasuredReceipt): void {
  const { all } = totals;
  const increase = totals.increase(row.counterEpoch, row.distanceMm);
  if (increase === 0n) return;
  const lifetime = all.lifetimeMm + increase;
  for (const milestone of lifetimeMilestones(all.lifetimeMm, lifetime)) {
    const payload = { milestoneMm: Number(milestone), distanceMm: Number(lifetime) };
    add(events, row, { type: "measurement.lifetime_distance_milestone", value: milestone, payload });
  }
  all.lifetimeMm = lifetime;

  const day = noonDay(row.observedAt);
  const before = totals.day(day);
  const total = before + increase;
  totals.setDay(day, total);
  for (const milestone of dailyMilestones(before, total)) {
    const payload = { milestoneMm: Number(milestone), distanceMm: Number(total), date: noonDate(day) };
    add(events, row, { type: "measurement.daily_distance_milestone", value: milestone, payload });
  }
  if (before < STREAK_DAY_MM && total >= STREAK_DAY_MM) {
    const days = totals.streak(day);
    const payload = { days, startDate: noonDate(day - days + 1), endDate: noonDate(day) };
    if (isStreakMilestone(days)) add(events, row, { type: "measurement.distance_streak", value: days, payload });
  }
}

function followSpeed(events: NewActivityEvent[], { all }: Totals, row: MeasuredReceipt): void {
  const speed = row.speedMmPerSecond;
  if (speed <= all.fastest) return;
  for (const milestone of speedMilestones(all.fastest, speed)) {
    const payload = { milestoneMmPerSecond: milestone, speedMmPerSecond: speed };
    add(events, row, { type: "measurement.speed_milestone", value: milestone, payload });
  }
  if (all.lastRecord === 0) {
    all.lastRecord = speed;
  } else if (isSpeedRecord(speed, all.fastest, all.lastRecord)) {
    const payload = { speedMmPerSecond: speed, previousSpeedMmPerSecond: all.lastRecord };
    add(events, row, { type: "measurement.speed_record", value: speed, payload });
    all.lastRecord = speed;
  }
  all.fastest = speed;
}

interface Milestone {
  readonly type: MeasurementEventType;
  /** The end of the event's id. */
  readonly value: bigint | number;
  readonly payload: Readonly<Record<string, unknown>>;
}

function add(events: NewActivityEvent[], row: MeasuredReceipt, { type, value, payload }: Milestone): void {
  events.push({
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

/**
 * The state of policy v1: distance totals of the lifetime, of each counter epoch and of each noon-to-noon day, and
 * speeds. Rows are read at first use and written by `save`.
 */
class Totals {
  /** Over all receipts. `lastRecord` is the speed of the last record event, or the first positive speed, or 0. */
  readonly all: { lifetimeMm: bigint; fastest: number; lastRecord: number };
  readonly #projections: Database;
  readonly #epochs = new Map<string, number>();
  readonly #days = new Map<number, bigint>();

  constructor(projections: Database) {
    this.#projections = projections;
    this.all = readTotals(projections, MILESTONES, { lifetimeMm: 0n, fastest: 0, lastRecord: 0 });
  }

  /** Returns the increase within the epoch; the epoch's first receipt counts from 0. */
  increase(epoch: string, distanceMm: number): bigint {
    const known = this.#epochs.get(epoch) ?? this.#storedEpoch(epoch);
    this.#epochs.set(epoch, distanceMm);
    return BigInt(distanceMm) - BigInt(known);
  }

  day(day: number): bigint {
    let total = this.#days.get(day);
    if (total === undefined) {
      const sql = "SELECT distance_mm FROM milestone_day WHERE day = ?";
      total = BigInt(readValue<string>(this.#projections, sql, day) ?? "0");
      this.#days.set(day, total);
    }
    return total;
  }

  setDay(day: number, total: bigint): void {
    this.#days.set(day, total);
  }

  /** Returns the number of consecutive days with at least 1 km each, counted back from `day`. */
  streak(day: number): number {
    let days = 0;
    while (this.day(day - days) >= STREAK_DAY_MM) days++;
    return days;
  }

  save(): void {
    const epoch = statement(this.#projections, "INSERT OR REPLACE INTO milestone_epoch VALUES (?, ?)");
    for (const entry of this.#epochs) epoch.run(...entry);
    const day = statement(this.#projections, "INSERT OR REPLACE INTO milestone_day VALUES (?, ?)");
    for (const [number, total] of this.#days) if (total > 0n) day.run(number, String(total));
    writeTotals(this.#projections, MILESTONES, this.all);
  }

  #storedEpoch(epoch: string): number {
    const sql = "SELECT distance_mm FROM milestone_epoch WHERE counter_epoch = ?";
    return readValue<number>(this.#projections, sql, epoch) ?? 0;
  }
}
