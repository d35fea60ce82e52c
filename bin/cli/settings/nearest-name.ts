import { closest, distance } from "fastest-levenshtein";

/** Letters in which a mistyped name may differ, as a share of it. */
const MISTYPED = 0.4;

/** `; did you mean …?`, empty where nothing known is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The known name that `name` is probably mistyped from. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const nearest = closest(
    name.toLowerCase(),
    known.map((one) => one.toLowerCase()),
  );
  const index = known.findIndex((one) => one.toLowerCase() === nearest);
  return distance(name.toLowerCase(), nearest) <= Math.max(1, name.length * MISTYPED) ? known[index] : undefined;
}
