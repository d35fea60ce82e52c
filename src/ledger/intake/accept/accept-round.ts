/** Accepts closed rounds and the Oracle's closures of them (docs/spec/intake.md#round, #closure). */
import { readRow, run } from "../../../sqlite/statement.ts";
import { TOTAL_MAX } from "../../../values/decimal.ts";
import { paddedRound } from "../../schema.ts";
import { conflict, type Fault, fault, type IntakeOutcome } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import { flag, type Installation, isSame } from "./installation.ts";

/** Accepts each round once, and only while the totals stay small enough for a mean in thousandths. */
export function acceptRound(installation: Installation, round: RecordOf<"round">): IntakeOutcome {
  const { db } = installation;
  const roundId = paddedRound(round.roundId);
  const { workUnits, distanceMm, closedAt } = round;
  const incoming = { workUnits, distanceMm, eligible: flag(round.eligible), closedAt };
  const stored = readRow<typeof incoming>(db, STORED_ROUND, installation.rowId, roundId);
  if (stored !== undefined) {
    return isSame(stored, incoming) ? "duplicate" : conflict("roundId", "this round was closed with other content");
  }
  const work = installation.roundWorkUnits + BigInt(workUnits);
  const distance = installation.roundDistanceMm + BigInt(distanceMm ?? 0);
  if (work > TOTAL_MAX) return tooMuch("workUnits");
  if (distance > TOTAL_MAX) return tooMuch("distanceMm");
  run(db, INSERT_ROUND, installation.ensureRow(), roundId, workUnits, distanceMm, incoming.eligible, closedAt);
  installation.roundWorkUnits = work;
  installation.roundDistanceMm = distance;
  return "accepted";
}

/** Accepts a closure only if it overlaps no other and the ledger has all of its rounds. */
export function acceptClosure(installation: Installation, closure: RecordOf<"closure">): IntakeOutcome {
  const { db } = installation;
  const first = paddedRound(closure.firstRound);
  const last = paddedRound(closure.lastRound);
  // Stored closures do not overlap. So among those that begin at or before `last`, only the latest can reach `first`.
  const before = readRow<StoredClosure>(db, STORED_CLOSURE, installation.rowId, last);
  const overlaps = before !== undefined && before.last >= first;
  const isKnown = overlaps && before.first === first && before.last === last;
  if (isKnown) {
    const same = before.acceptedAt === closure.acceptedAt;
    return same ? "duplicate" : conflict("lastRound", "the Oracle accepted these rounds at another acceptedAt");
  }
  const unknown = unknownBound(installation, closure);
  if (unknown !== undefined) {
    return fault("unknown_round", unknown, "a round of the closure is not in the ledger");
  }
  if (overlaps) {
    const field = before.first <= first ? "firstRound" : "lastRound";
    return fault("closure_overlap", field, "the closure overlaps another one");
  }
  run(db, INSERT_CLOSURE, installation.rowId, first, last, closure.acceptedAt);
  return "accepted";
}

/** Returns the bound at or before which a round is missing. A span may have 2^64 rounds, so it is not iterated. */
function unknownBound({ db, rowId, watermarks }: Installation, closure: RecordOf<"closure">): string | undefined {
  const first = paddedRound(closure.firstRound);
  const last = paddedRound(closure.lastRound);
  if (readRow(db, STORED_ROUND, rowId, first) === undefined) return "firstRound";
  const span = BigInt(closure.lastRound) - BigInt(closure.firstRound) + 1n;
  if (span > BigInt(watermarks.round)) return "lastRound";
  const count = readRow<{ known: number }>(db, COUNT_ROUNDS, rowId, first, last);
  return BigInt(count?.known ?? 0) === span ? undefined : "lastRound";
}

function tooMuch(field: string): Fault {
  return fault("out_of_range", field, `${field} would raise the installation's total above (2^256 - 1) / 1000`);
}

interface StoredClosure {
  readonly first: string;
  readonly last: string;
  readonly acceptedAt: number;
}

const STORED_ROUND = `
SELECT work_units AS workUnits, distance_mm AS distanceMm, eligible, closed_at AS closedAt
FROM round WHERE installation = ? AND round_id = ?`;

const INSERT_ROUND = `
INSERT INTO round (installation, round_id, work_units, distance_mm, eligible, closed_at) VALUES (?, ?, ?, ?, ?, ?)`;

const COUNT_ROUNDS = "SELECT count(*) AS known FROM round WHERE installation = ? AND round_id BETWEEN ? AND ?";

const STORED_CLOSURE = `
SELECT first_round AS first, last_round AS last, accepted_at AS acceptedAt
FROM closure WHERE installation = ? AND first_round <= ? ORDER BY first_round DESC LIMIT 1`;

const INSERT_CLOSURE = "INSERT INTO closure (installation, first_round, last_round, accepted_at) VALUES (?, ?, ?, ?)";
