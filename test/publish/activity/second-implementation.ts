/** A naive implementation of measurement policy v1: after each receipt it sums up all earlier receipts. */
import { noonDate, noonDay } from "../../../src/values/noon-day.ts";
import type { FeedReceipt } from "./feed-world.ts";

export interface NaiveEvent {
  readonly id: string;
  readonly observedAt: number;
  readonly position: number;
  readonly payload: unknown;
}

const KM = 1_000_000;

/** In the order of the category `measurement`. */
export function naiveMilestones(receipts: readonly FeedReceipt[]): NaiveEvent[] {
  const events: NaiveEvent[] = [];
  let record = 0;
  receipts.forEach((receipt, index) => {
    const earlier = receipts.slice(0, index);
    const upTo = receipts.slice(0, index + 1);
    const position = index + 1;
    const add = (type: string, value: number, payload: unknown) =>
      events.push({
        id: `wheel-1-${position}-measurement.${type}-${value}`,
        observedAt: receipt.observedAt,
        position,
        payload,
      });

    const [before, after] = [lifetime(earlier), lifetime(upTo)];
    for (let n = 0; n < 12; n++) {
      for (const factor of [1, 2, 5]) {
        const milestone = factor * 10 ** n * KM;
        if (before < milestone && after >= milestone) {
          add("lifetime_distance_milestone", milestone, { milestoneMm: milestone, distanceMm: after });
        }
      }
    }

    const day = noonDay(receipt.observedAt);
    const [dayBefore, dayAfter] = [ofDay(earlier, day), ofDay(upTo, day)];
    for (const milestone of [1, 2, 5, 10, 20, 42.195, 50, 100].map((km) => Math.round(km * KM))) {
      if (dayBefore < milestone && dayAfter >= milestone) {
        const payload = { milestoneMm: milestone, distanceMm: dayAfter, date: noonDate(day) };
        add("daily_distance_milestone", milestone, payload);
      }
    }
    if (dayBefore < KM && dayAfter >= KM) {
      let days = 1;
      while (ofDay(upTo, day - days) >= KM) days++;
      if ([3, 7, 14, 30, 60, 100, 180].includes(days) || days % 365 === 0) {
        add("distance_streak", days, { days, startDate: noonDate(day - days + 1), endDate: noonDate(day) });
      }
    }

    const fastest = Math.max(0, ...earlier.map(({ speed }) => speed));
    for (let milestone = 500; milestone <= 100_000; milestone += 500) {
      if (fastest < milestone && receipt.speed >= milestone) {
        add("speed_milestone", milestone, { milestoneMmPerSecond: milestone, speedMmPerSecond: receipt.speed });
      }
    }
    if (fastest === 0) {
      record = receipt.speed;
    } else if (receipt.speed > fastest && receipt.speed * 20 >= record * 21) {
      add("speed_record", receipt.speed, { speedMmPerSecond: receipt.speed, previousSpeedMmPerSecond: record });
      record = receipt.speed;
    }
  });
  return events.sort(
    (a, b) => b.observedAt - a.observedAt || b.position - a.position || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}

/** The work that each receipt adds within its counter epoch. The first receipt of an epoch adds its full value. */
function increases(receipts: readonly FeedReceipt[]): number[] {
  return receipts.map(({ epoch, distance }, index) => {
    const before = receipts.slice(0, index).findLast((other) => other.epoch === epoch);
    return distance - (before?.distance ?? 0);
  });
}

function lifetime(receipts: readonly FeedReceipt[]): number {
  return increases(receipts).reduce((sum, increase) => sum + increase, 0);
}

function ofDay(receipts: readonly FeedReceipt[], day: number): number {
  const added = increases(receipts);
  return receipts.reduce(
    (sum, receipt, index) => (noonDay(receipt.observedAt) === day ? sum + (added[index] ?? 0) : sum),
    0,
  );
}
