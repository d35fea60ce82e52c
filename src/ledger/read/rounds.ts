/** Typed reads of closed rounds and their acceptance (docs/spec/intake.md#round, #closure). Round ids are bigint. */
import { type ReadOnlyDatabase, statement } from "../../sqlite/statement.ts";
import { UINT64_MAX } from "../../values/decimal.ts";
import { paddedRound } from "../schema.ts";

export interface ClosedRound {
  readonly roundId: bigint;
  readonly workUnits: bigint;
  readonly eligible: boolean;
}

/** The highest round id in the ledger. */
export function readNewestRoundId(ledger: ReadOnlyDatabase, installation: number): bigint | undefined {
  const sql = "SELECT max(round_id) FROM round WHERE installation = ?";
  const id = statement<[number], string | null>(ledger, sql).pluck().get(installation);
  return id === null || id === undefined ? undefined : BigInt(id as string);
}

/** The closed rounds above `after` up to and including `through`, ascending; read as they are asked for. */
export function* iterateRounds(
  ledger: ReadOnlyDatabase,
  installation: number,
  after: bigint,
  through: bigint = UINT64_MAX,
): IterableIterator<ClosedRound> {
  const sql = `SELECT round_id AS roundId, work_units AS workUnits, eligible FROM round
    WHERE installation = ? AND round_id > ? AND round_id <= ? ORDER BY round_id`;
  const rows = statement<[number, string, string], { roundId: string; workUnits: string; eligible: number }>(
    ledger,
    sql,
  );
  for (const row of rows.iterate(installation, paddedRound(after), paddedRound(through))) {
    yield { roundId: BigInt(row.roundId), workUnits: BigInt(row.workUnits), eligible: row.eligible === 1 };
  }
}

export interface Closure {
  readonly firstRound: bigint;
  readonly lastRound: bigint;
  /** Epoch ms. */
  readonly acceptedAt: number;
}

interface ClosureRow {
  readonly firstRound: string;
  readonly lastRound: string;
  readonly acceptedAt: number;
}

const CLOSURE = "SELECT first_round AS firstRound, last_round AS lastRound, accepted_at AS acceptedAt FROM closure";

/** The closure with the highest lastRound; closures do not overlap, so that it is the one with the highest firstRound. */
export function readNewestClosure(ledger: ReadOnlyDatabase, installation: number): Closure | undefined {
  const sql = `${CLOSURE} WHERE installation = ? ORDER BY first_round DESC LIMIT 1`;
  return closureOf(statement<[number], ClosureRow>(ledger, sql).get(installation));
}

/** The closure that covers a round. */
export function readClosureOf(ledger: ReadOnlyDatabase, installation: number, roundId: bigint): Closure | undefined {
  const sql = `${CLOSURE} WHERE installation = ? AND first_round <= ? ORDER BY first_round DESC LIMIT 1`;
  const found = closureOf(statement<[number, string], ClosureRow>(ledger, sql).get(installation, paddedRound(roundId)));
  return found !== undefined && found.lastRound >= roundId ? found : undefined;
}

/** The closures that begin above a round, ascending; read as they are asked for. */
export function* iterateClosures(
  ledger: ReadOnlyDatabase,
  installation: number,
  after: bigint,
): IterableIterator<Closure> {
  const sql = `${CLOSURE} WHERE installation = ? AND first_round > ? ORDER BY first_round`;
  for (const row of statement<[number, string], ClosureRow>(ledger, sql).iterate(installation, paddedRound(after))) {
    const closure = closureOf(row);
    if (closure !== undefined) yield closure;
  }
}

/** The highest acceptedAt of all closures (epoch ms). */
export function readLatestAcceptedAt(ledger: ReadOnlyDatabase, installation: number): number | undefined {
  const sql = "SELECT max(accepted_at) FROM closure WHERE installation = ?";
  return (statement<[number], number | null>(ledger, sql).pluck().get(installation) as number | null) ?? undefined;
}

function closureOf(row: ClosureRow | undefined): Closure | undefined {
  if (row === undefined) return undefined;
  return { firstRound: BigInt(row.firstRound), lastRound: BigInt(row.lastRound), acceptedAt: row.acceptedAt };
}
