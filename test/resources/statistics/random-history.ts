/**
 * Random histories from a seed: gaps, late rounds, unordered and early closures, far-future rounds, zero work, unknown
 * distances, 256-bit values, several counter epochs, and all submission lifecycles.
 */

import { Random } from "../../support/random.ts";
import type { Fact, HistoryClosure, HistoryReceipt, HistoryRound, HistorySubmission } from "./history.ts";

const ROUND = 600_000;
const DAY = 86_400_000;

export interface RandomHistory {
  /** Seconds. */
  readonly genesis: bigint;
  readonly range: "7d" | "30d";
  readonly at: number;
  /** In order of arrival. */
  readonly facts: readonly Fact[];
}

export function randomHistory(seed: number): RandomHistory {
  const random = new Random(seed);
  const at = instant(random);
  const now = Math.floor(at / ROUND);
  const days = random.pick([0.1, 1, 2, 7, 8, 31, 45]);
  const firstSlot = now - Math.floor(random.between(1, 144) * days);
  const genesisSlot = random.chance(0.3) ? firstSlot : firstSlot - random.between(0, 5000);
  const genesis = BigInt(Math.max(genesisSlot, 0)) * 600n;
  const slots = [...slotsOf(random, firstSlot, now), ...farSlots(random)];
  const work = workOf(random);
  const idle = idleSlots(random, firstSlot);
  const rounds = slots.map(
    (slot): HistoryRound => ({
      type: "round",
      roundId: BigInt(slot) - genesis / 600n,
      workUnits: idle(slot) || random.chance(0.2) ? 0n : work(),
      distanceMm: random.chance(0.2) ? null : random.chance(0.2) ? 0n : work() / 3n,
    }),
  );
  const inLedger = rounds.filter(({ roundId }) => roundId >= 0n && roundId < 2n ** 64n);
  const facts = interleave(random, [
    ...arrivals(random, inLedger),
    receipts(random, at, firstSlot),
    ...submissions(random, at, days),
  ]);
  return { genesis, range: random.pick(["7d", "30d"]), at, facts };
}

/** Merges the lists in random order, in sequence or mixed. Each list keeps its order. */
function interleave<T>(random: Random, lists: readonly (readonly T[])[]): T[] {
  if (random.chance(0.5)) return random.shuffle(lists).flat();
  const turns = random.shuffle(lists.flatMap((list, index) => list.map(() => index)));
  const taken = lists.map(() => 0);
  return turns.map((index) => {
    const item = lists[index]?.[taken[index] ?? 0] as T;
    taken[index] = (taken[index] ?? 0) + 1;
    return item;
  });
}

/** Noon itself, a millisecond around the end of a round, a leap day, or any other instant. */
function instant(random: Random): number {
  const anywhere = Date.parse("2023-01-01T00:00:00Z") + random.between(0, 1200) * DAY + random.between(0, DAY - 1);
  const noon = Math.floor(anywhere / DAY) * DAY + DAY / 2;
  const leapDay = Date.parse("2024-02-29T00:00:00Z") + random.between(0, 3 * DAY);
  const end = Math.floor(anywhere / ROUND) * ROUND;
  return random.pick([anywhere, anywhere, noon, noon - 1, noon + 1, leapDay, end, end - 1]);
}

/** Slots with a closed round: dense or with gaps, sometimes slightly ahead of the clock. */
function slotsOf(random: Random, first: number, now: number): number[] {
  const kept = random.pick([1, 1, 0.97, 0.6, 0.1]);
  const skips = random.pick([0, 0.02]);
  const limit = random.pick([2, 60, 250, 250, 700]);
  const last = now + (random.chance(0.2) ? random.between(1, 40) : 0);
  const from = random.chance(0.5) ? Math.max(first, last - limit) : first;
  const slots = [];
  for (let slot = from; slot < last && slots.length < limit; slot += 1) {
    if (random.chance(skips)) slot += random.between(1, 200);
    if (slot < last && random.chance(kept)) slots.push(slot);
  }
  return slots;
}

/** No idle rounds, nights of eight hours, or two of three days without work. */
function idleSlots(random: Random, first: number): (slot: number | bigint) => boolean {
  const kind = random.pick(["never", "nights", "days"]);
  return (slot) => {
    const hours = (Number(slot) - first) / 6;
    return (kind === "nights" && hours % 24 < 8) || (kind === "days" && hours % 72 > 24);
  };
}

function farSlots(random: Random): bigint[] {
  if (!random.chance(0.1)) return [];
  return [422_337_167n, 422_337_168n, 2n ** 53n, 2n ** 64n - 1n].filter(() => random.chance(0.5));
}

function workOf(random: Random): () => bigint {
  const bits = random.pick([1, 3, 10, 40, 64, 70, 200, 236]);
  return () => random.bits(bits);
}

/**
 * Runs of consecutive rounds, which arrive in any order before their closure. The order of runs and closures is also
 * random.
 */
function arrivals(random: Random, rounds: readonly HistoryRound[]): Fact[][] {
  const lists: Fact[][] = [];
  for (let index = 0; index < rounds.length; ) {
    const run: HistoryRound[] = [];
    const longest = random.pick([1, 3, 16, 16, 200]);
    do {
      const round = rounds[index];
      if (round === undefined) break;
      run.push(round);
      index += 1;
    } while (run.length < longest && rounds[index]?.roundId === (run.at(-1)?.roundId ?? 0n) + 1n);
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) break;
    const closure: HistoryClosure = { type: "closure", firstRound: first.roundId, lastRound: last.roundId };
    const shuffled = random.chance(0.3) ? random.shuffle(run) : run;
    lists.push(random.chance(0.9) ? [...shuffled, closure] : shuffled);
  }
  return lists;
}

function receipts(random: Random, at: number, firstSlot: number): HistoryReceipt[] {
  const highest = random.pick([0, 5, 100_000]);
  const span = at - firstSlot * ROUND + 2 * DAY;
  return Array.from({ length: random.between(0, 12) }, () => ({
    type: "receipt",
    counterEpoch: random.between(1, 3),
    observedAt: Math.max(at + DAY - random.between(0, span), 0),
    rpmMilli: random.between(0, highest),
    speedMmPerSecond: random.between(0, highest),
  }));
}

/** The records of each submission, in order. */
function submissions(random: Random, at: number, days: number): HistorySubmission[][] {
  return Array.from({ length: random.pick([0, 0, 1, 2, 9]) }, (_, index) => {
    const preparedAt = at - random.between(0, Math.ceil(days * 1.2 * DAY));
    const submittedAt = preparedAt + random.between(0, 90_000);
    const confirmedAt = submittedAt + random.between(0, 900_000);
    const same = {
      type: "submission",
      submissionId: `00000000-0000-4000-8000-00000000000${index}`,
      cumulativeWork: random.bits(random.pick([10, 256])),
      blockHeight: random.bits(64),
      completedBlockCount: BigInt(random.between(0, 2)),
      preparedAt,
    } as const;
    const records: HistorySubmission[] = [
      { ...same, lifecycle: "preparing", submittedAt: null, confirmedAt: null },
      { ...same, lifecycle: "submitted", submittedAt, confirmedAt: null },
      { ...same, lifecycle: "retrying", submittedAt: random.chance(0.5) ? null : submittedAt, confirmedAt: null },
      random.pick([
        { ...same, lifecycle: "confirmed", submittedAt, confirmedAt } as const,
        { ...same, lifecycle: "confirmed", submittedAt, confirmedAt } as const,
        { ...same, lifecycle: "reverted", submittedAt, confirmedAt: null } as const,
        {
          ...same,
          lifecycle: "superseded",
          submittedAt: random.chance(0.5) ? null : submittedAt,
          confirmedAt: null,
        } as const,
      ]),
    ];
    return records.filter((_, step) => random.chance(step === 3 ? 0.7 : 0.6));
  });
}
