/**
 * Adds up the lifetime totals of statistics from the entries of the log (docs/spec/api.md#statistics-lifetime). It shares no code
 * with the projections, so that a mistake there is found.
 */
import type { Statistics } from "../resources/statistics/schema.ts";
import { noonDay } from "../values/noon-day.ts";
import { ROUND_MS } from "../values/round.ts";
import { namesOf } from "../values/unknown.ts";

/** The fields of the entries that count for lifetime totals. */
type Entry = { readonly installationId: string } & (
  | { readonly type: "round"; readonly roundId: string; readonly workUnits: string; readonly distanceMm: string | null }
  | { readonly type: "closure"; readonly firstRound: string; readonly lastRound: string }
  | {
      readonly type: "submission";
      readonly lifecycle: string;
      readonly expected: { readonly cumulativeWork: string; readonly blockHeight: string };
    }
);

const IS_COUNTED = /"type":"(?:round|closure|submission)"/;

/** True if an entry (canonical JSON) may count for lifetime totals. Most entries are receipts, which do not. */
export function isCounted(text: string): boolean {
  return IS_COUNTED.test(text);
}

/** Compares the totals with the entries that the body is computed from (canonical JSON). Returns a complaint, if any. */
export function lifetimeComplaint(
  { installationId, generatedAt, lifetime }: Pick<Statistics, "installationId" | "generatedAt" | "lifetime">,
  entries: Iterable<string>,
): string | undefined {
  const expected = lifetimeOf(
    ofInstallation(installationId, entries),
    Date.parse(generatedAt),
    lifetime.firstObservedAt,
  );
  const names = namesOf(expected);
  const wrong = names.find((name) => lifetime[name] !== expected[name]);
  if (wrong === undefined) return undefined;
  return `lifetime.${wrong} is ${lifetime[wrong]}, and the log's entries give ${expected[wrong]}`;
}

function ofInstallation(installationId: string, entries: Iterable<string>): Entry[] {
  const own: Entry[] = [];
  for (const text of entries) {
    if (!isCounted(text)) continue;
    const entry = JSON.parse(text) as Entry;
    if (entry.installationId === installationId) own.push(entry);
  }
  return own;
}

/** `at` in epoch ms. The first accepted round begins at `firstObservedAt`: this gives the time of every other one. */
function lifetimeOf(
  entries: readonly Entry[],
  at: number,
  firstObservedAt: string,
): Omit<Statistics["lifetime"], "firstObservedAt"> {
  const rounds = acceptedRounds(entries);
  const first = Date.parse(firstObservedAt);
  const firstRound = rounds[0]?.id ?? 0n;
  const activeDays = new Set<number>();
  let [observed, work, distance] = [0, 0n, 0n];
  for (const round of rounds) {
    const start = first + Number(round.id - firstRound) * ROUND_MS;
    if (start + ROUND_MS > at) break;
    observed++;
    work += round.work;
    distance += round.distance;
    if (round.work > 0n) activeDays.add(noonDay(start));
  }
  const confirmed = entries.filter((entry) => entry.type === "submission" && entry.lifecycle === "confirmed");
  return {
    acceptedWorkUnits: String(work),
    observedDistanceMm: String(distance),
    settledBlockCount: greatest(confirmed, "blockHeight"),
    settlementCount: String(confirmed.length),
    settledWorkUnits: greatest(confirmed, "cumulativeWork"),
    activeDayCount: activeDays.size,
    coverageBps: Math.floor((observed * 10_000) / Math.floor((at - first) / ROUND_MS)),
  };
}

interface AcceptedRound {
  readonly id: bigint;
  readonly work: bigint;
  /** Millimetres; 0 if unknown. */
  readonly distance: bigint;
}

/** Returns the rounds within closures, by id. Closures do not overlap. */
function acceptedRounds(entries: readonly Entry[]): AcceptedRound[] {
  const ascending = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));
  const closures = entries
    .flatMap((entry) =>
      entry.type === "closure" ? [[BigInt(entry.firstRound), BigInt(entry.lastRound)] as const] : [],
    )
    .toSorted(([one], [other]) => ascending(one, other));
  const rounds = entries
    .flatMap((entry) => {
      if (entry.type !== "round") return [];
      return [{ id: BigInt(entry.roundId), work: BigInt(entry.workUnits), distance: BigInt(entry.distanceMm ?? 0) }];
    })
    .toSorted((one, other) => ascending(one.id, other.id));
  let next = 0;
  return rounds.filter(({ id }) => {
    while (next < closures.length && (closures[next]?.[1] ?? 0n) < id) next++;
    const [first] = closures[next] ?? [];
    return first !== undefined && first <= id;
  });
}

function greatest(entries: readonly Entry[], name: "blockHeight" | "cumulativeWork"): string {
  let most = 0n;
  for (const entry of entries) {
    if (entry.type !== "submission") continue;
    const value = BigInt(entry.expected[name]);
    if (value > most) most = value;
  }
  return String(most);
}
