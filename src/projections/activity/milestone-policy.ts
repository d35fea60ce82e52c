/**
 * Measurement policy v1 (docs/spec/api.md#activity-policy): which milestones a receipt passes. Distances are
 * millimetres, speeds millimetres a second; a milestone is passed if it lies above the value before and at or below the
 * one after.
 */

export const POLICY_VERSION = "measurement-policy-v1";

const KM = 1_000_000n;
/** Kilometres within one day; the fifth is a marathon's. */
const DAILY_MM = [1, 2, 5, 10, 20, 42.195, 50, 100].map((km) => BigInt(Math.round(km * 1_000_000)));
const SPEED_STEP = 500;
const HIGHEST_SPEED_MILESTONE = 100_000;
/** From this distance on a day counts for a streak. */
export const STREAK_DAY_MM = KM;
const STREAK_DAYS = [3, 7, 14, 30, 60, 100, 180];
const STREAK_YEAR = 365;

/** 1, 2, 5 × 10^n km from 1 km on, ascending. */
export function lifetimeMilestones(before: bigint, after: bigint): bigint[] {
  const passed: bigint[] = [];
  for (let power = KM; power <= after; power *= 10n) {
    for (const factor of [1n, 2n, 5n]) {
      const milestone = factor * power;
      if (before < milestone && milestone <= after) passed.push(milestone);
    }
  }
  return passed;
}

/** 1, 2, 5, 10, 20, 42.195, 50 and 100 km of one noon-to-noon day, ascending. */
export function dailyMilestones(before: bigint, after: bigint): bigint[] {
  return DAILY_MM.filter((milestone) => before < milestone && milestone <= after);
}

/** Every full 500 mm/s that no receipt before has reached, up to 100,000 mm/s, ascending. */
export function speedMilestones(fastest: number, speed: number): number[] {
  const passed: number[] = [];
  const top = Math.min(speed, HIGHEST_SPEED_MILESTONE);
  for (let step = Math.floor(fastest / SPEED_STEP) + 1; step * SPEED_STEP <= top; step++)
    passed.push(step * SPEED_STEP);
  return passed;
}

/** Above every earlier speed and at least 5 % above the last record event, or above the base without one yet. */
export function isSpeedRecord(speed: number, fastest: number, lastRecord: number): boolean {
  return speed > fastest && BigInt(speed) * 100n >= BigInt(lastRecord) * 105n;
}

/** True if so many consecutive days are worth an event. */
export function isStreakMilestone(days: number): boolean {
  return STREAK_DAYS.includes(days) || (days > 0 && days % STREAK_YEAR === 0);
}
