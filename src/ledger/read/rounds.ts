/** Reads closed rounds and their acceptance (docs/spec/intake.md#round, #closure). Round ids are bigint. */
import {
  eachRow,
  type ReadOnlyDatabase,
  readRow,
  readRows,
  readValue,
  type Stored,
  withBigints,
} from "../../sqlite/statement.ts";
import { UINT64_MAX } from "../../values/decimal.ts";
import { Failure } from "../../values/failure.ts";
import { ROUND_SECONDS, roundEnd } from "../../values/round.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { paddedRound } from "../schema.ts";

export interface ClosedRound {
  readonly roundId: bigint;
  readonly workUnits: bigint;
  readonly eligible: boolean;
}

/** Returns the highest round id in the ledger. */
export function readNewestRoundId(ledger: ReadOnlyDatabase, installation: number): bigint | undefined {
  const sql = "SELECT max(round_id) FROM round WHERE installation = ?";
  const id = readValue<string | null>(ledger, sql, installation);
  return id === null || id === undefined ? undefined : BigInt(id);
}

/** Iterates the closed rounds above `after` up to and including `through`, ascending. Rows are read lazily. */
export function* iterateRounds(
  ledger: ReadOnlyDatabase,
  installation: number,
  after: bigint,
  through: bigint = UINT64_MAX,
): IterableIterator<ClosedRound> {
  const sql = `SELECT round_id AS roundId, work_units AS workUnits, eligible FROM round
    WHERE installation = ? AND round_id > ? AND round_id <= ? ORDER BY round_id`;
  type Row = { roundId: string; workUnits: string; eligible: number };
  const rows = eachRow<Row>(ledger, sql, installation, paddedRound(after), paddedRound(through));
  for (const { roundId, workUnits, eligible } of rows) {
    yield { roundId: BigInt(roundId), workUnits: BigInt(workUnits), eligible: eligible === 1 };
  }
}

const COMPARED_ROUNDS = 12;
const LATEST_CLOSE_MS = 86_400_000n;

/**
 * Returns why the genesis (epoch seconds) is wrong: all of the newest twelve rounds were closed before their end by this
 * genesis, or more than a day after it. A device that was away closes some rounds late, so one that fits suffices.
 */
export function genesisContradiction(
  ledger: ReadOnlyDatabase,
  installation: number,
  genesis: bigint | undefined,
): Failure | undefined {
  if (genesis === undefined) return undefined;
  const sql = `SELECT round_id AS roundId, closed_at AS closedAt FROM round
    WHERE installation = ? ORDER BY round_id DESC LIMIT ${COMPARED_ROUNDS}`;
  const rounds = readRows<{ roundId: string; closedAt: number }>(ledger, sql, installation).map((row) => {
    const end = roundEnd(genesis, BigInt(row.roundId));
    return { roundId: BigInt(row.roundId), closedAt: row.closedAt, end, late: BigInt(row.closedAt) - end };
  });
  const [newest] = rounds;
  if (newest === undefined || rounds.length < COMPARED_ROUNDS) return undefined;
  if (rounds.some(({ late }) => late >= 0n && late <= LATEST_CLOSE_MS)) return undefined;
  // The latest genesis by which none of them was closed before its end.
  const earliest = rounds.reduce((least, { late }) => (late < least ? late : least), newest.late);
  const roundMs = BigInt(ROUND_SECONDS) * 1000n;
  const shift = earliest / roundMs - (earliest % roundMs < 0n ? 1n : 0n);
  const fitting = genesis + shift * BigInt(ROUND_SECONDS);
  const [closed, end] = [formatTimestamp(newest.closedAt), formatTimestamp(Number(newest.end))];
  return new Failure(
    "genesis_contradicted",
    `round ${newest.roundId} was closed at ${closed}, but by genesisTimestamp ${genesis} it ends at ${end}; ${fitting} fits the newest ${COMPARED_ROUNDS} rounds`,
  );
}

export interface Closure {
  readonly firstRound: bigint;
  readonly lastRound: bigint;
  /** Epoch ms. */
  readonly acceptedAt: number;
}

/** Returns the closure with the highest lastRound, which has the highest firstRound because closures never overlap. */
export function readNewestClosure(ledger: ReadOnlyDatabase, installation: number): Closure | undefined {
  return readClosure(ledger, `${CLOSURE} WHERE installation = ? ${LAST}`, installation);
}

/** Returns the closure that covers a round. */
export function readClosureOf(ledger: ReadOnlyDatabase, installation: number, roundId: bigint): Closure | undefined {
  const sql = `${CLOSURE} WHERE installation = ? AND first_round <= ? ${LAST}`;
  const found = readClosure(ledger, sql, installation, paddedRound(roundId));
  return found !== undefined && found.lastRound >= roundId ? found : undefined;
}

/** Iterates the closures that begin above a round, ascending. Rows are read lazily. */
export function* iterateClosures(
  ledger: ReadOnlyDatabase,
  installation: number,
  after: bigint,
): IterableIterator<Closure> {
  const sql = `${CLOSURE} WHERE installation = ? AND first_round > ? ORDER BY first_round`;
  const rows = eachRow<Stored<Closure>>(ledger, sql, installation, paddedRound(after));
  for (const row of rows) yield withBigints(row, "firstRound", "lastRound");
}

const CLOSURE = "SELECT first_round AS firstRound, last_round AS lastRound, accepted_at AS acceptedAt FROM closure";
const LAST = "ORDER BY first_round DESC LIMIT 1";

function readClosure(ledger: ReadOnlyDatabase, sql: string, ...parameters: (number | string)[]): Closure | undefined {
  const row = readRow<Stored<Closure>>(ledger, sql, ...parameters);
  return row && withBigints(row, "firstRound", "lastRound");
}

/** Returns the highest acceptedAt of all closures (epoch ms). */
export function readLatestAcceptedAt(ledger: ReadOnlyDatabase, installation: number): number | undefined {
  const sql = "SELECT max(accepted_at) FROM closure WHERE installation = ?";
  return readValue<number | null>(ledger, sql, installation) ?? undefined;
}
