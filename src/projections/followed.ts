/**
 * How far the ledger has been followed, and by what it is known to be the same ledger still: the closure and the
 * receipt at which each watermark stands. A ledger that was replaced or restored from a backup has others there, or none.
 */
import type { Database } from "better-sqlite3";
import type { LedgerPoint } from "../ledger/read/changes.ts";
import { readTelemetryIdAt } from "../ledger/read/receipts.ts";
import { statement } from "../sqlite/statement.ts";

export const FOLLOWED_TABLES = `
-- one row: closures up to closure_seq are in, whole; of the one after it, the rounds before next_round
CREATE TABLE followed_closures (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- seconds; null until one is known
  genesis TEXT,
  closure_seq INTEGER NOT NULL,
  -- installation and bounds of that closure
  closure TEXT,
  next_round TEXT
) STRICT;
INSERT INTO followed_closures VALUES (1, NULL, 0, NULL, NULL);

-- receipts up to a position, submissions up to a changed_seq
CREATE TABLE followed (
  installation INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  telemetry_id TEXT,
  changed_seq INTEGER NOT NULL
) STRICT;

-- one row at most: everything up to this change of the ledger is in
CREATE TABLE followed_point (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  "check" TEXT NOT NULL
) STRICT;

-- one row at most: a pass over all installations, begun at this change; those with numbers up to 'through' are in
CREATE TABLE followed_pass (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  "check" TEXT NOT NULL,
  through INTEGER NOT NULL
) STRICT;
`;

export interface FollowedClosures {
  readonly genesis: string | null;
  readonly closureSeq: number;
  readonly closure: string | null;
  readonly nextRound: string | null;
}

export interface Followed {
  readonly installation: number;
  readonly id: string;
  readonly position: number;
  readonly telemetryId: string | null;
  readonly changedSeq: number;
}

export function readFollowedClosures(projections: Database): FollowedClosures {
  const sql = `SELECT genesis, closure_seq AS closureSeq, closure, next_round AS nextRound FROM followed_closures`;
  return statement<[], FollowedClosures>(projections, sql).get() as FollowedClosures;
}

export function writeFollowedClosures(projections: Database, to: FollowedClosures): void {
  const sql = "UPDATE followed_closures SET genesis = ?, closure_seq = ?, closure = ?, next_round = ?";
  statement(projections, sql).run(to.genesis, to.closureSeq, to.closure, to.nextRound);
}

/** The change of the ledger up to which everything is in; undefined before the first. */
export function readFollowedPoint(projections: Database): LedgerPoint | undefined {
  return statement<[], LedgerPoint>(projections, `SELECT seq, "check" FROM followed_point`).get();
}

export function writeFollowedPoint(projections: Database, { seq, check }: LedgerPoint): void {
  statement(projections, "INSERT OR REPLACE INTO followed_point VALUES (1, ?, ?)").run(seq, check);
}

/** A pass over all installations, where it is not known which have moved. */
export interface FollowedPass extends LedgerPoint {
  /** Those with numbers up to this are in. */
  readonly through: number;
}

export function readFollowedPass(projections: Database): FollowedPass | undefined {
  return statement<[], FollowedPass>(projections, `SELECT seq, "check", through FROM followed_pass`).get();
}

export function writeFollowedPass(projections: Database, { seq, check, through }: FollowedPass): void {
  statement(projections, "INSERT OR REPLACE INTO followed_pass VALUES (1, ?, ?, ?)").run(seq, check, through);
}

/** Whether none has been followed that the ledger does not know, once each of the ledger's has been. */
export function endFollowedPass(ledger: Database, projections: Database): boolean {
  statement(projections, "DELETE FROM followed_pass").run();
  return countOf(projections, "followed") === countOf(ledger, "installation");
}

function countOf(db: Database, table: "followed" | "installation"): number {
  return statement<[], number>(db, `SELECT count(*) FROM ${table}`).pluck().get() as number;
}

/** How far one installation has been followed. */
export function readFollowedOf(projections: Database, installation: number): Followed | undefined {
  const sql = `SELECT installation, id, position, telemetry_id AS telemetryId, changed_seq AS changedSeq
    FROM followed WHERE installation = ?`;
  return statement<[number], Followed>(projections, sql).get(installation);
}

export function writeFollowed(projections: Database, to: Followed): void {
  const sql = "INSERT OR REPLACE INTO followed VALUES (?, ?, ?, ?, ?)";
  statement(projections, sql).run(to.installation, to.id, to.position, to.telemetryId, to.changedSeq);
}

/** Whether the ledger has the closures that were followed. */
export function hasFollowedClosures(ledger: Database, projections: Database): boolean {
  const { closureSeq, closure } = readFollowedClosures(projections);
  return closureSeq === 0 || closureAt(ledger, closureSeq) === closure;
}

/** Whether the ledger has what was followed of an installation. */
export function hasFollowed(ledger: Database, followed: Followed): boolean {
  const { installation, id, position, telemetryId, changedSeq } = followed;
  return (
    statement(ledger, "SELECT id FROM installation WHERE no = ?").pluck().get(installation) === id &&
    (position === 0 || readTelemetryIdAt(ledger, installation, position) === telemetryId) &&
    newestChange(ledger, installation) >= changedSeq
  );
}

/** Installation and bounds of a closure, as one text; undefined where there is none. */
export function closureAt(ledger: Database, seq: number): string | undefined {
  const sql = "SELECT installation || ' ' || first_round || ' ' || last_round FROM closure WHERE seq = ?";
  return statement<[number], string>(ledger, sql).pluck().get(seq);
}

/** 0 where no submission has ever been accepted. */
export function newestChange(ledger: Database, installation: number): number {
  const sql = "SELECT ifnull(max(changed_seq), 0) FROM submission WHERE installation = ?";
  return statement<[number], number>(ledger, sql).pluck().get(installation) as number;
}

/** 0 where no receipt has been accepted. */
export function newestPosition(ledger: Database, installation: number): number {
  const sql = "SELECT ifnull(max(position), 0) FROM receipt WHERE installation = ?";
  return statement<[number], number>(ledger, sql).pluck().get(installation) as number;
}
