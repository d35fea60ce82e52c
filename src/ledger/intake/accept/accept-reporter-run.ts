/**
 * Runs of the Reporter (docs/spec/intake.md#reporter_run): open, then finished once; the open form may come late, or
 * never.
 */
import { statement } from "../../../sqlite/statement.ts";
import type { RecordOf } from "../decode/records.ts";
import { conflict, type Verdict } from "../fault.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";
import { isSame } from "./stored.ts";

export function acceptReporterRun(
  states: InstallationStates,
  state: InstallationState,
  run: RecordOf<"reporter_run">,
): Verdict {
  const { db } = states;
  const { startedAt, finishedAt, result } = run;
  const come = { finishedAt, result };
  const stored = statement<[number, number], typeof come>(db, STORED).get(state.no, startedAt);
  if (stored === undefined) {
    statement(db, INSERT).run(states.exist(state), startedAt, finishedAt, result);
    return "accepted";
  }
  if (finishedAt === null || isSame(stored, come)) return "duplicate";
  if (stored.finishedAt !== null) return conflict("startedAt", "the run ended otherwise");
  statement(db, FINISH).run(finishedAt, result, state.no, startedAt);
  return "accepted";
}

const STORED = `
SELECT finished_at AS finishedAt, result FROM reporter_run WHERE installation = ? AND started_at = ?`;

const INSERT = "INSERT INTO reporter_run VALUES (?, ?, ?, ?)";

const FINISH = "UPDATE reporter_run SET finished_at = ?, result = ? WHERE installation = ? AND started_at = ?";
