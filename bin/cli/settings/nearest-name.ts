import { closest, distance } from "fastest-levenshtein";

/** Letters in which a mistyped name may differ, as a share of it. */
const MISTYPED = 0.4;

/** A name with this many letters that is the beginning of a known one means that one. */
const MEANT_BY_BEGINNING = 4;

/** `; did you mean …?`, empty if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near =
    nearestName(name, known) ?? known.find((one) => name.length >= MEANT_BY_BEGINNING && one.startsWith(name));
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
