/** The reference's own calendar, sums and ranks. */
export const ROUND = 600_000;
export const DAY = 86_400_000;

/** An observed round: closed, accepted and elapsed. */
export interface Observed {
  readonly start: number;
  readonly work: bigint;
  readonly distance: bigint | null;
}

export function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

/** Starts in [from, to) of the rounds that end at or before `at`. */
export function elapsedStarts(from: number, before: number, at: number): number[] {
  const starts = [];
  for (let start = from; start < before && start + ROUND <= at; start += ROUND) starts.push(start);
  return starts;
}

export function noonAtOrBefore(instant: number): number {
  const noon = new Date(instant);
  noon.setUTCHours(12, 0, 0, 0);
  return noon.getTime() <= instant ? noon.getTime() : noon.getTime() - DAY;
}

export function floorBps(part: number, whole: number): number {
  return whole === 0 ? 0 : Number((BigInt(part) * 10_000n) / BigInt(whole));
}

/** Nearest rank: the ceil(p·n)-th smallest. */
export function rank<T extends number | bigint>(values: readonly T[], p: 0.5 | 0.9): T | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const tenths = p === 0.5 ? 5 : 9;
  return sorted[Math.ceil((tenths * sorted.length) / 10) - 1] ?? null;
}

export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
