/** The range layouts of docs/spec/api.md#settlements-window; a boundary is the next one strictly after `at`. */

import { DAY_MS, noonDay, noonOf } from "../../values/noon-day.ts";
import type { SettlementRange } from "./route.ts";

const HOUR_MS = 3_600_000;

/** Epoch ms; the start belongs to it, the end does not. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly bucketSeconds: number;
}

interface Layout {
  readonly bucketCount: number;
  readonly bucketMs: number;
  readonly endAfter: (at: number) => number;
}

const nextHour = (at: number) => (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
const nextNoon = (at: number) => noonOf(noonDay(at) + 1);

export const LAYOUTS = {
  "24h": { bucketCount: 24, bucketMs: HOUR_MS, endAfter: nextHour },
  "7d": { bucketCount: 28, bucketMs: 6 * HOUR_MS, endAfter: nextNoon },
  "30d": { bucketCount: 30, bucketMs: DAY_MS, endAfter: nextNoon },
} as const satisfies Record<Exclude<SettlementRange, "now">, Layout>;

/** `undefined` for the lifetime. */
export function windowOf(range: SettlementRange, at: number): Window | undefined {
  if (range === "now") return undefined;
  const { bucketCount, bucketMs, endAfter } = LAYOUTS[range];
  const end = endAfter(at);
  return { start: end - bucketCount * bucketMs, end, bucketSeconds: bucketMs / 1000 };
}
