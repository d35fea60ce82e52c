/** What a cycle has to put, read and built in one snapshot: the configured installation, or another one. */
import { type Installation, installationNo, listInstallations, readWatermarks } from "../../src/ledger/watermarks.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { Failure } from "../../src/values/failure.ts";
import { type AnswerInputs, inputsOf } from "../answers/build-schedule.ts";
import { type PlannedAnswer, planAnswer } from "../answers/plan-answer.ts";
import { isComparable, ledgerBehind } from "../asof/behind.ts";
import { isBehind } from "../asof/behind-list.ts";
import { vectorOf } from "../asof/vector.ts";
import type { InstallationReceipts } from "../observations/tiles.ts";
import { failedRow, type ReportRow } from "../puts/report.ts";
import type { Session } from "./session.ts";

export interface Plan {
  readonly answers: readonly PlannedAnswer[];
  /** The installations that go on from what was published. */
  readonly installations: readonly InstallationReceipts[];
  readonly failedRows: readonly ReportRow[];
}

/** The configured installation's answers, and every file. */
export interface OwnPlan extends Plan {
  /** Those that the ledger knows, where the configured one is not among them. */
  readonly knownInstead: readonly string[] | undefined;
}

/** `at` in epoch ms. */
export function planOwn(session: Session, snapshot: Snapshot, at: number): OwnPlan {
  const { installationId: id, ledger } = snapshot;
  const no = ledger && installationNo(ledger, id);
  const publications = [unknownTelemetryPublication, telemetryPublication(id, true), ...session.publications];
  return {
    ...planAnswers(session, publications, snapshot, at),
    installations: no === undefined ? [] : receiptsOf(session, { no, id }, snapshot, at),
    knownInstead: ledger === undefined || no !== undefined ? undefined : listInstallations(ledger).map((one) => one.id),
  };
}

/** What is published of an installation other than the configured one. */
export function planOther(session: Session, installation: Installation, snapshot: Snapshot, at: number): Plan {
  return {
    ...planAnswers(session, [telemetryPublication(installation.id, false)], snapshot, at),
    installations: receiptsOf(session, installation, snapshot, at),
  };
}

function planAnswers(session: Session, publications: readonly Publication[], snapshot: Snapshot, at: number) {
  const answers: PlannedAnswer[] = [];
  const failedRows: ReportRow[] = [];
  for (const publication of publications) {
    if (!session.selected(publication.resource)) continue;
    const planned = planIfDue(session, publication, snapshot, at);
    if (planned === undefined) continue;
    if ("action" in planned) failedRows.push(planned);
    else answers.push(planned);
  }
  return { answers, failedRows };
}

/** Builds nothing whose inputs have not moved and whose instant has not come; of what fails, what to report. */
export function planIfDue(
  session: Session,
  publication: Publication,
  snapshot: Snapshot,
  at: number,
): PlannedAnswer | ReportRow | undefined {
  const { schedule, behind } = session;
  let inputs: AnswerInputs | undefined;
  try {
    inputs = inputsOf(publication, snapshot);
    if (!schedule.isDue(publication, inputs, at)) return undefined;
    const planned = planAnswer(publication, snapshot, at, session);
    behind.clear(publication.key);
    return planned;
  } catch (error) {
    if (error instanceof Failure && error.code === "clock_behind") throw error;
    if (inputs !== undefined) schedule.failed(publication.key, inputs, at);
    if (!isBehind(error)) return failedRow(publication, error);
    behind.add(publication.key, error);
    return undefined;
  }
}

/** How far the installation's receipts go; none where they do not go on from those that were published of it. */
function receiptsOf(
  session: Session,
  installation: Installation,
  snapshot: Snapshot,
  at: number,
): InstallationReceipts[] {
  const { ledger } = snapshot;
  if (ledger === undefined) return [];
  if (goesOn(session, snapshot, installation.id, at)) {
    session.moved.finish(installation.id);
    return [{ ...installation, through: readWatermarks(ledger, installation.no).receipt }];
  }
  session.moved.leave(installation.id);
  return [];
}

/** Whether an installation's receipts go on from those that were published of it. */
function goesOn(session: Session, snapshot: Snapshot, id: string, at: number): boolean {
  const { histories, published, behind } = session;
  const publication = telemetryPublication(id, id === snapshot.installationId);
  const before = published.get(publication.key)?.asof;
  const now = vectorOf(snapshot, publication, at, histories.progress(id).history);
  const failure = before !== undefined && isComparable(before, now) ? ledgerBehind(before, snapshot, id) : undefined;
  if (failure === undefined) behind.clear(`observations ${id}`);
  else behind.add(`observations ${id}`, failure);
  return failure === undefined;
}
