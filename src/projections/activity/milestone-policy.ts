/**
 * Measurement policy v1 (docs/spec/api.md#activity-policy): which milestones a receipt passes. Distances are
 * millimetres, speeds millimetres per second. A milestone is passed if before < milestone ≤ after.
 */

export const POLICY_VERSION = "measurement-policy-v1";

const KM = 1_000_000n;
/** Daily milestones in mm, listed in km; 42.195 km is a marathon. */
const DAILY_MM = [1, 2, 5, 10, 20, 42.195, 50, 100].map((km) => BigInt(Math.round(km * 1_000_000)));
const SPEED_STEP = 500;
const HIGHEST_SPEED_MILESTONE = 100_000;
/** Minimum distance of a day that counts for a streak. */
export const STREAK_DAY_MM = KM;
const STREAK_DAYS = [3, 7, 14, 30, 60, 100, 180];
const STREAK_YEAR = 365;

/** Returns the passed milestones of 1, 2 and 5 × 10^n km, from 1 km, ascending. */
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

/** Returns the passed milestones of one noon-to-noon day, ascending. */
export function dailyMilestones(before: bigint, after: bigint): bigint[] {
  return DAILY_MM.filter((milestone) => before < milestone && milestone <= after);
}

/** Returns every multiple of 500 mm/s that no earlier receipt reached, up to 100,000 mm/s, ascending. */
export function speedMilestones(fastest: number, speed: number): number[] {
  const passed: number[] = [];
  const top = Math.min(speed, HIGHEST_SPEED_MILESTONE);
  for (let step = Math.floor(fastest / SPEED_STEP) + 1; step * SPEED_STEP <= top; step++)
    passed.push(step * SPEED_STEP);
  return passed;
}

/** Returns true for a speed above every earlier one and 5 % or more above the last record event (or the base). */
export function isSpeedRecord(speed: number, fastest: number, lastRecord: number): boolean {
  return speed > fastest && BigInt(speed) * 100n >= BigInt(lastRecord) * 105n;
}

/** Returns true if a streak of this many days gets an event. */
export function isStreakMilestone(days: number): boolean {
  return STREAK_DAYS.includes(days) || (days > 0 && days % STREAK_YEAR === 0);
}
