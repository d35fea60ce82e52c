/** What one cycle has to put, read and built in one snapshot. */
import { listInstallations, readWatermarks } from "../src/ledger/watermarks.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { Failure } from "../src/values/failure.ts";
import { type AnswerInputs, inputsOf } from "./answers/build-schedule.ts";
import { type PlannedAnswer, planAnswer } from "./answers/plan-answer.ts";
import { isComparable, ledgerBehind } from "./asof/behind.ts";
import { isBehind } from "./asof/behind-list.ts";
import { vectorOf } from "./asof/vector.ts";
import type { InstallationReceipts } from "./observations/tiles.ts";
import { failedRow, type ReportRow } from "./report.ts";
import type { Session } from "./session.ts";

export interface Plan {
  readonly answers: readonly PlannedAnswer[];
  /** The installations of the ledger that go on from what was published. */
  readonly installations: readonly InstallationReceipts[];
  readonly failedRows: readonly ReportRow[];
  /** Those that the ledger knows, where the configured one is not among them. */
  readonly knownInstead: readonly string[] | undefined;
}

/** `at` in epoch ms. */
export function planCycle(session: Session, snapshot: Snapshot, at: number): Plan {
  const { installationId: configured, ledger } = snapshot;
  const present = ledger === undefined ? [] : listInstallations(ledger);
  const answers: PlannedAnswer[] = [];
  const failedRows: ReportRow[] = [];
  for (const publication of publicationsOf(session, configured, present)) {
    if (!session.selected(publication.resource)) continue;
    const planned = planIfDue(session, publication, snapshot, at);
    if (planned === undefined) continue;
    if ("action" in planned) failedRows.push(planned);
    else answers.push(planned);
  }
  const installations = present.flatMap(({ no, id }) =>
    ledger !== undefined && goesOn(session, snapshot, id, at)
      ? { no, id, through: readWatermarks(ledger, no).receipt }
      : [],
  );
  const ids = present.map(({ id }) => id);
  return {
    answers,
    installations,
    failedRows,
    knownInstead: ledger === undefined || ids.includes(configured) ? undefined : ids,
  };
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

function publicationsOf(session: Session, configured: string, present: readonly { readonly id: string }[]) {
  const others = present.filter(({ id }) => id !== configured).map(({ id }) => telemetryPublication(id, false));
  return [unknownTelemetryPublication, telemetryPublication(configured, true), ...session.publications, ...others];
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
