/** The nearest-rank quantile of the figures, for `q` in (0, 1]. */
export function quantile(figures: readonly number[], q: number): number {
  const sorted = figures.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}
