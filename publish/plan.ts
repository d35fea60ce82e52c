/** What one cycle has to put, read and built in one snapshot. */
import { listInstallations, readWatermarks } from "../src/ledger/watermarks.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { Failure } from "../src/values/failure.ts";
import { type AnswerInputs, inputsOf } from "./answers/build-schedule.ts";
import { type PlannedAnswer, planAnswer } from "./answers/plan-answer.ts";
import type { InstallationReceipts } from "./observations/tiles.ts";
import { failedRow, type ReportFailure, type ReportRow, reportFailure } from "./report.ts";
import type { Session } from "./session.ts";

export interface Plan {
  readonly answers: readonly PlannedAnswer[];
  /** The installations of the ledger that go on from what was published. */
  readonly installations: readonly InstallationReceipts[];
  readonly failedRows: readonly ReportRow[];
  readonly failures: readonly ReportFailure[];
}

/** `at` in epoch ms. */
export function planCycle(session: Session, snapshot: Snapshot, at: number): Plan {
  const { installationId: configured, ledger } = snapshot;
  const present = ledger === undefined ? [] : listInstallations(ledger);
  const ids = new Set([configured, ...present.map(({ id }) => id)]);
  const failures: ReportFailure[] = [];
  const goingOn = new Set([...ids].filter((id) => goesOn(session, snapshot, id, failures)));
  const answers: PlannedAnswer[] = [];
  const failedRows: ReportRow[] = [];
  for (const publication of publicationsOf(session, configured, goingOn)) {
    if (!session.selected(publication.resource)) continue;
    const planned = planIfDue(session, publication, snapshot, at);
    if (planned === undefined) continue;
    if ("action" in planned) failedRows.push(planned);
    else answers.push(planned);
  }
  const installations = present.flatMap(({ no, id }) =>
    goingOn.has(id) && ledger !== undefined ? { no, id, through: readWatermarks(ledger, no).receipt } : [],
  );
  return { answers, installations, failedRows, failures };
}

/** Builds nothing whose inputs have not moved and whose instant has not come; of what fails, what to report. */
export function planIfDue(
  session: Session,
  publication: Publication,
  snapshot: Snapshot,
  at: number,
): PlannedAnswer | ReportRow | undefined {
  let inputs: AnswerInputs | undefined;
  try {
    inputs = inputsOf(publication, snapshot);
    return session.schedule.isDue(publication, inputs, at) ? planAnswer(publication, snapshot, at, session) : undefined;
  } catch (error) {
    if (inputs !== undefined) session.schedule.failed(publication.key, inputs, at);
    return failedRow(publication, error);
  }
}

function publicationsOf(session: Session, configured: string, goingOn: ReadonlySet<string>): Publication[] {
  const own = goingOn.has(configured) ? [telemetryPublication(configured, true), ...session.publications] : [];
  const others = [...goingOn].filter((id) => id !== configured).map((id) => telemetryPublication(id, false));
  return [unknownTelemetryPublication, ...own, ...others];
}

function goesOn({ histories }: Session, { ledger }: Snapshot, id: string, failures: ReportFailure[]): boolean {
  try {
    histories.verify(ledger, id);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failures.push(reportFailure(error));
    return false;
  }
}
