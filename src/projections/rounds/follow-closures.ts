/**
 * Follows the Oracle's closures by order of arrival. A closure's rounds are in the ledger before it is and never
 * change, so that closures are all there is to follow. A closure may come ahead of time: rounds that have not elapsed
 * wait, and are observed once they have.
 */
import type { Database } from "better-sqlite3";
import { paddedRound } from "../../ledger/schema.ts";
import { statement } from "../../sqlite/statement.ts";
import { slotAt, slotOfRound } from "../../values/slot.ts";
import type { Databases } from "../databases.ts";
import { closureAt, readFollowedClosures, writeFollowedClosures } from "../followed.ts";
import { observeRounds } from "./observe-rounds.ts";

export const WAITING_TABLE = `
CREATE TABLE waiting_round (
  slot INTEGER NOT NULL,
  installation INTEGER NOT NULL,
  work TEXT NOT NULL,
  distance TEXT,
  PRIMARY KEY (slot, installation)
) STRICT, WITHOUT ROWID;
`;

/**
 * At most about `budget` rounds more, those elapsed at `at` (epoch ms) observed; `genesis` in seconds. Returns how many
 * it took; fewer than the budget means that nothing is left.
 */
export function followClosures(
  { ledger, projections }: Databases,
  genesis: bigint,
  at: number,
  budget: number,
): number {
  const now = slotAt(at);
  const batch = new Map<number, { slot: number; work: bigint; distance: bigint | undefined }[]>();
  const take = (installation: number, slot: number, work: string, distance: string | null) => {
    let rounds = batch.get(installation);
    if (rounds === undefined) batch.set(installation, (rounds = []));
    rounds.push({ slot, work: BigInt(work), distance: distance === null ? undefined : BigInt(distance) });
  };
  let taken = takeElapsed(projections, now, budget, take);
  const wait = statement(projections, "INSERT OR REPLACE INTO waiting_round VALUES (?, ?, ?, ?)");

  const before = readFollowedClosures(projections);
  let { closureSeq, nextRound } = before;
  while (taken < budget) {
    const closure = nextClosure(ledger, closureSeq);
    if (closure === undefined) break;
    const { installation } = closure;
    const rounds = roundsOf(ledger, { ...closure, first: nextRound ?? closure.first }, budget - taken);
    for (const { round_id, work_units, distance_mm } of rounds) {
      const slot = slotOfRound(genesis, BigInt(round_id));
      if (slot === undefined) continue;
      if (slot < now) take(installation, slot, work_units, distance_mm);
      else wait.run(slot, installation, work_units, distance_mm);
    }
    const last = rounds.at(-1);
    const whole = last === undefined || rounds.length < budget - taken || last.round_id >= closure.last;
    taken += Math.max(1, rounds.length);
    nextRound = whole ? null : paddedRound(BigInt(last.round_id) + 1n);
    if (whole) closureSeq = closure.seq;
  }
  for (const [installation, rounds] of batch) observeRounds(projections, installation, rounds);
  if (closureSeq !== before.closureSeq || nextRound !== before.nextRound || before.genesis === null) {
    const closure = closureAt(ledger, closureSeq) ?? null;
    writeFollowedClosures(projections, { genesis: String(genesis), closureSeq, closure, nextRound });
  }
  return taken;
}

/** Whether the ledger holds a closure that is not in, or not wholly. */
export function hasNewClosure(ledger: Database, projections: Database): boolean {
  return nextClosure(ledger, readFollowedClosures(projections).closureSeq) !== undefined;
}

/** Whether a round that waited for its end has elapsed at `at` (epoch ms). */
export function hasElapsedWaiting(projections: Database, at: number): boolean {
  const sql = "SELECT 1 FROM waiting_round WHERE slot < ? LIMIT 1";
  return statement<[number]>(projections, sql).get(slotAt(at)) !== undefined;
}

function takeElapsed(
  projections: Database,
  now: number,
  budget: number,
  take: (installation: number, slot: number, work: string, distance: string | null) => void,
): number {
  const sql = "SELECT slot, installation, work, distance FROM waiting_round WHERE slot < ? ORDER BY slot LIMIT ?";
  const rows = statement<[number, number], Waiting>(projections, sql).all(now, budget);
  const remove = statement(projections, "DELETE FROM waiting_round WHERE slot = ? AND installation = ?");
  for (const { slot, installation, work, distance } of rows) {
    take(installation, slot, work, distance);
    remove.run(slot, installation);
  }
  return rows.length;
}

function nextClosure(ledger: Database, after: number): Closure | undefined {
  const sql = `SELECT seq, installation, first_round AS first, last_round AS last FROM closure
    WHERE seq > ? ORDER BY seq LIMIT 1`;
  return statement<[number], Closure>(ledger, sql).get(after);
}

function roundsOf(ledger: Database, { installation, first, last }: Closure, limit: number): Round[] {
  const sql = `SELECT round_id, work_units, distance_mm FROM round
    WHERE installation = ? AND round_id BETWEEN ? AND ? ORDER BY round_id LIMIT ?`;
  return statement<[number, string, string, number], Round>(ledger, sql).all(installation, first, last, limit);
}

interface Closure {
  readonly seq: number;
  readonly installation: number;
  readonly first: string;
  readonly last: string;
}

interface Round {
  readonly round_id: string;
  readonly work_units: string;
  readonly distance_mm: string | null;
}

interface Waiting {
  readonly slot: number;
  readonly installation: number;
  readonly work: string;
  readonly distance: string | null;
}
