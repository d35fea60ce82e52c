/** docs/spec/api.md#statistics, window: 7 or 30 noon-to-noon days, the last of which holds `at`. */

import { noonDay, noonOf } from "../../values/noon-day.ts";
import type { StatisticsRange } from "./route.ts";

export interface Window {
  readonly dayCount: number;
  /** Numbers of values/noon-day.ts, both included. */
  readonly firstDay: number;
  readonly lastDay: number;
  /** Epoch ms. */
  readonly startAt: number;
  readonly endAt: number;
}

export function windowOf(range: StatisticsRange, at: number): Window {
  const dayCount = range === "7d" ? 7 : 30;
  const lastDay = noonDay(at);
  const firstDay = lastDay - dayCount + 1;
  return { dayCount, firstDay, lastDay, startAt: noonOf(firstDay), endAt: at };
}
