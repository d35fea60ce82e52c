/**
 * Takes in the facts of the installations that have moved, a few at a time: in the order of the ledger's changes, and
 * where it cannot be told which have moved, in a pass over all of them.
 */
import type { Database } from "better-sqlite3";
import { hasBeenAt, newestPoint, nextChanges } from "../ledger/read/changes.ts";
import { readTelemetryIdAt } from "../ledger/read/receipts.ts";
import { type Installation, installationsAfter, readInstallation } from "../ledger/watermarks.ts";
import {
  endFollowedPass,
  type Followed,
  type FollowedPass,
  hasFollowed,
  hasFollowedClosures,
  newestPosition,
  readFollowedOf,
  readFollowedPass,
  readFollowedPoint,
  writeFollowed,
  writeFollowedPass,
  writeFollowedPoint,
} from "./followed.ts";
import { forgetLedger } from "./schema.ts";
import { followSubmissions } from "./settlements/submissions.ts";
import { raisePeaks } from "./statistics/peaks.ts";

/** The most of one step. */
export interface InstallationBudget {
  readonly installations: number;
  readonly receipts: number;
  readonly submissions: number;
}

/** Of one step: which installations come next. */
export interface NextInstallations {
  readonly installations: readonly Installation[];
  /** Once they are in: whether the ledger holds more. Writes down how far that is. */
  settle(): boolean;
}

/**
 * The next ones; what was followed of another ledger, or of one that has gone back, is forgotten before. `first` is of
 * each step: its own are in before all the others'.
 */
export function nextInstallations(
  ledger: Database,
  projections: Database,
  first: Installation | undefined,
  most: number,
): NextInstallations {
  const point = readFollowedPoint(projections);
  const changes = point && nextChanges(ledger, point, most);
  if (changes === undefined) return nextOfPass(ledger, projections, first, most);
  const { through, isNewest, installations: numbers } = changes;
  const moved = numbers.flatMap((no) => readInstallation(ledger, no) ?? []);
  return {
    installations: withFirst(first, moved),
    settle() {
      if (through.seq !== point?.seq) writeFollowedPoint(projections, through);
      return !isNewest;
    },
  };
}

function nextOfPass(
  ledger: Database,
  projections: Database,
  first: Installation | undefined,
  most: number,
): NextInstallations {
  let pass = passOf(ledger, projections);
  let next = installationsAfter(ledger, pass.through, most);
  const isSame = ({ no }: Installation) => {
    const followed = readFollowedOf(projections, no);
    return followed === undefined || hasFollowed(ledger, followed);
  };
  if (!hasFollowedClosures(ledger, projections) || !withFirst(first, next).every(isSame)) {
    forgetLedger(projections);
    pass = passOf(ledger, projections);
    next = installationsAfter(ledger, pass.through, most);
  }
  return {
    installations: withFirst(first, next),
    settle() {
      const last = next.at(-1);
      if (last !== undefined && next.length === most) {
        writeFollowedPass(projections, { ...pass, through: last.no });
        return true;
      }
      if (!endFollowedPass(ledger, projections)) {
        forgetLedger(projections);
        return true;
      }
      if (pass.seq === 0) return false;
      writeFollowedPoint(projections, pass);
      return newestPoint(ledger).seq !== pass.seq;
    },
  };
}

/** The pass that is under way, or a new one. */
function passOf(ledger: Database, projections: Database): FollowedPass {
  const pass = readFollowedPass(projections);
  return pass !== undefined && hasBeenAt(ledger, pass) ? pass : { ...newestPoint(ledger), through: 0 };
}

function withFirst(first: Installation | undefined, installations: readonly Installation[]): readonly Installation[] {
  return first === undefined ? installations : [first, ...installations.filter(({ no }) => no !== first.no)];
}

/** What a budget was too small for. */
export interface InstallationsLeft {
  readonly first: boolean;
  readonly any: boolean;
}

/** Takes in what is new of each, in order, as far as the budget goes. */
export function followInstallations(
  ledger: Database,
  projections: Database,
  installations: readonly Installation[],
  budget: InstallationBudget,
): InstallationsLeft {
  let { receipts, submissions } = budget;
  let left: InstallationsLeft = { first: false, any: false };
  for (const [index, installation] of installations.entries()) {
    const taken = followOne(ledger, projections, installation, { ...budget, receipts, submissions });
    receipts -= taken.receipts;
    submissions -= taken.submissions;
    if (taken.isLeft) left = { first: left.first || index === 0, any: true };
  }
  return left;
}

function followOne(ledger: Database, projections: Database, installation: Installation, budget: InstallationBudget) {
  const { no } = installation;
  const followed = readFollowedOf(projections, no);
  const before = followed ?? unfollowed(installation);
  const newest = newestPosition(ledger, no);
  const position = Math.min(newest, before.position + budget.receipts);
  if (position > before.position) raisePeaks({ ledger, projections }, no, before.position + 1, position);
  const { changedSeq, taken } =
    budget.submissions > 0
      ? followSubmissions({ ledger, projections }, no, before.changedSeq, budget.submissions)
      : { changedSeq: before.changedSeq, taken: 0 };
  if (position > before.position || changedSeq > before.changedSeq || followed === undefined) {
    const telemetryId = position === 0 ? null : (readTelemetryIdAt(ledger, no, position) ?? null);
    writeFollowed(projections, { ...before, position, telemetryId, changedSeq });
  }
  const isLeft = position < newest || taken >= budget.submissions;
  return { receipts: position - before.position, submissions: taken, isLeft };
}

function unfollowed({ no, id }: Installation): Followed {
  return { installation: no, id, position: 0, telemetryId: null, changedSeq: 0 };
}
