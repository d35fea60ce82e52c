/** Typed reads of closed rounds and their acceptance (docs/spec/intake.md#round, #closure). Round ids are bigint. */
import {
  eachRow,
  type ReadOnlyDatabase,
  readRow,
  readValue,
  type Stored,
  withBigints,
} from "../../sqlite/statement.ts";
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
  const id = readValue<string | null>(ledger, sql, installation);
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
  type Row = { roundId: string; workUnits: string; eligible: number };
  const rows = eachRow<Row>(ledger, sql, installation, paddedRound(after), paddedRound(through));
  for (const { roundId, workUnits, eligible } of rows) {
    yield { roundId: BigInt(roundId), workUnits: BigInt(workUnits), eligible: eligible === 1 };
  }
}

export interface Closure {
  readonly firstRound: bigint;
  readonly lastRound: bigint;
  /** Epoch ms. */
  readonly acceptedAt: number;
}

/** The closure with the highest lastRound; closures do not overlap, so that it is the one with the highest firstRound. */
export function readNewestClosure(ledger: ReadOnlyDatabase, installation: number): Closure | undefined {
  return readClosure(ledger, `${CLOSURE} WHERE installation = ? ${LAST}`, installation);
}

/** The closure that covers a round. */
export function readClosureOf(ledger: ReadOnlyDatabase, installation: number, roundId: bigint): Closure | undefined {
  const sql = `${CLOSURE} WHERE installation = ? AND first_round <= ? ${LAST}`;
  const found = readClosure(ledger, sql, installation, paddedRound(roundId));
  return found !== undefined && found.lastRound >= roundId ? found : undefined;
}

/** The closures that begin above a round, ascending; read as they are asked for. */
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

/** The highest acceptedAt of all closures (epoch ms). */
export function readLatestAcceptedAt(ledger: ReadOnlyDatabase, installation: number): number | undefined {
  const sql = "SELECT max(accepted_at) FROM closure WHERE installation = ?";
  return readValue<number | null>(ledger, sql, installation) ?? undefined;
}
