/**
 * Reads the facts of one installation in their order, one sequence for each kind that projections follow. A position's
 * checksum is the size and root of the ledger's log when it was read. With another log a follower reads from the start.
 */
import { eachRow, type ReadOnlyDatabase, readNumber, readRows, readValue, statement } from "../sqlite/statement.ts";
import { type Position, type Source, START } from "../values/source.ts";
import { contains, logPoint } from "./log.ts";
import { readNewestPosition } from "./read/receipts.ts";
import { paddedRound } from "./schema.ts";

export interface MeasuredReceipt {
  readonly position: number;
  readonly telemetryId: string;
  readonly counterEpoch: string;
  /** observedAt and receivedAt are epoch ms. */
  readonly observedAt: number;
  readonly receivedAt: number;
  readonly rpmMilli: number;
  readonly speedMmPerSecond: number;
  readonly distanceMm: number;
}

/** Receipts by position. */
export function receiptSource(ledger: ReadOnlyDatabase, installation: number): Source<MeasuredReceipt> {
  return {
    ...continued(ledger),
    hasMore: (after) => Number(after.at) < readNewestPosition(ledger, installation),
    read(after, limit) {
      const from = Number(after.at);
      const facts = readRows<MeasuredReceipt>(ledger, RECEIPTS, installation, from, from + limit);
      return { facts, through: positionIn(ledger, String(facts.at(-1)?.position ?? from)) };
    },
  };
}

const RECEIPTS = `
SELECT position, telemetry_id AS telemetryId, counter_epoch AS counterEpoch, observed_at AS observedAt,
       received_at AS receivedAt, rpm_milli AS rpmMilli, speed_mm_per_second AS speedMmPerSecond,
       distance_mm AS distanceMm
FROM receipt WHERE installation = ? AND position > ? AND position <= ? ORDER BY position`;

/** The newest state of a submission; instants are epoch ms. */
export interface ChangedSubmission {
  readonly submissionId: string;
  readonly lifecycle: string;
  readonly preparedAt: number;
  readonly submittedAt: number | null;
  readonly confirmedAt: number | null;
  /** uint256 and uint64 decimal strings. */
  readonly expectedCumulativeWork: string;
  readonly expectedBlockHeight: string;
  readonly expectedCompletedBlockCount: string;
  readonly changedSeq: number;
}

/** Submissions ordered by last change; a submission that changes again is returned again, in its newest state. */
export function submissionSource(ledger: ReadOnlyDatabase, installation: number): Source<ChangedSubmission> {
  return {
    ...continued(ledger),
    hasMore: (after) => Number(after.at) < readNumber(ledger, NEWEST_CHANGE, installation),
    read(after, limit) {
      const facts: ChangedSubmission[] = [];
      const rows = statement<[number, number], ChangedSubmission>(ledger, SUBMISSIONS);
      for (const row of rows.iterate(installation, Number(after.at))) {
        if (facts.push(row) === limit) break;
      }
      return { facts, through: positionIn(ledger, String(facts.at(-1)?.changedSeq ?? Number(after.at))) };
    },
  };
}

const NEWEST_CHANGE = "SELECT ifnull(max(changed_seq), 0) FROM submission WHERE installation = ?";

const SUBMISSIONS = `
SELECT submission_id AS submissionId, lifecycle, prepared_at AS preparedAt, submitted_at AS submittedAt,
       confirmed_at AS confirmedAt, expected_cumulative_work AS expectedCumulativeWork,
       expected_block_height AS expectedBlockHeight, expected_completed_block_count AS expectedCompletedBlockCount,
       changed_seq AS changedSeq
FROM submission WHERE installation = ? AND changed_seq > ? ORDER BY changed_seq`;

export interface AcceptedRound {
  readonly roundId: bigint;
  readonly workUnits: bigint;
  /** Millimetres; null if it is not known. */
  readonly distanceMm: bigint | null;
}

/**
 * The rounds that the Oracle accepted, ordered by the arrival of their closures. A closure's rounds precede it in the
 * ledger and never change. A position holds the number of complete closures, the `seq` of the last one, and, within the
 * next closure, the last round read.
 */
export function acceptedRoundSource(ledger: ReadOnlyDatabase, installation: number): Source<AcceptedRound> {
  const count = () =>
    readValue<number>(
      ledger,
      "SELECT value FROM watermark WHERE installation = ? AND kind = 'closure'",
      installation,
    ) ?? 0;
  return {
    ...continued(ledger),
    hasMore: (after) => closurePlace(after).closures < count(),
    read(after, limit) {
      let place = closurePlace(after);
      const facts: AcceptedRound[] = [];
      const closures = statement<[number, number], StoredClosure>(ledger, CLOSURES_AFTER);
      for (const closure of closures.iterate(installation, place.seq)) {
        const left = limit - facts.length;
        if (left <= 0) break;
        const from = place.round === undefined ? closure.first : paddedRound(BigInt(place.round) + 1n);
        const rounds: StoredRound[] = [];
        for (const round of eachRow<StoredRound>(ledger, ROUNDS, installation, from, closure.last)) {
          if (rounds.push(round) === left) break;
        }
        for (const { roundId, workUnits, distanceMm } of rounds) {
          const distance = distanceMm === null ? null : BigInt(distanceMm);
          facts.push({ roundId: BigInt(roundId), workUnits: BigInt(workUnits), distanceMm: distance });
        }
        const last = rounds.at(-1)?.roundId;
        const isWhole = last === undefined || rounds.length < left || last >= closure.last;
        place = isWhole ? { closures: place.closures + 1, seq: closure.seq } : { ...place, round: last };
      }
      const { closures: count, seq, round } = place;
      return { facts, through: positionIn(ledger, [count, seq, round ?? []].flat().join(" ")) };
    },
  };
}

interface ClosurePlace {
  readonly closures: number;
  readonly seq: number;
  /** Padded round id, as stored. */
  readonly round?: string | undefined;
}

function closurePlace({ at }: Position): ClosurePlace {
  const [closures = "", seq = "", round] = at.split(" ");
  return { closures: Number(closures), seq: Number(seq), round };
}

interface StoredClosure {
  readonly seq: number;
  readonly first: string;
  readonly last: string;
}

interface StoredRound {
  readonly roundId: string;
  readonly workUnits: string;
  readonly distanceMm: string | null;
}

/** Uses the primary key; with the index of installations SQLite would sort all closures of the installation. */
const CLOSURES_AFTER = `
SELECT seq, first_round AS first, last_round AS last FROM closure NOT INDEXED
WHERE installation = ? AND seq > ? ORDER BY seq`;

const ROUNDS = `
SELECT round_id AS roundId, work_units AS workUnits, distance_mm AS distanceMm FROM round
WHERE installation = ? AND round_id BETWEEN ? AND ? ORDER BY round_id`;

/** A position that was read from another log has nothing in common with this one. */
function continued(ledger: ReadOnlyDatabase): Pick<Source<never>, "lastCommon"> {
  return {
    lastCommon(position) {
      const [size, root = ""] = position.checksum.split(" ");
      return position.checksum === "" || contains(ledger, { size: Number(size), root }) ? position : START;
    },
  };
}

function positionIn(ledger: ReadOnlyDatabase, at: string): Position {
  const { size, root } = logPoint(ledger);
  return { at, checksum: `${size} ${root}` };
}
