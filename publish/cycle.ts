/**
 * One cycle (docs/spec/publishing.md#the-cycle): what has moved → build → compare → put, in order. It is idempotent:
 * killed at any step, the next one finds what is in the store and goes on.
 *
 * A crash before a put leaves the old answer, whole. A crash after a put and before it is remembered leaves a tag that
 * we do not know: the next put of that key conflicts, finds our own or an earlier epoch's object, adopts it and plans
 * anew. Tiles are put before the index that names their installation.
 */
import { listInstallations } from "../src/ledger/watermarks.ts";
import { observationsKey } from "../src/resources/observations/keys.ts";
import { installationsPublication } from "../src/resources/observations/publication.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
import type { ActivityRecall } from "./activity/recall.ts";
import { type PlannedAnswer, planAnswer } from "./answers/plan-answer.ts";
import { putAnswer } from "./answers/put-answer.ts";
import type { SavedBodyRecall } from "./answers/recall-saved.ts";
import { eachLimited } from "./concurrency.ts";
import { putObservations } from "./observations/put-installation.ts";
import type { InstallationReceipts } from "./observations/tiles.ts";
import { type Plan, planCycle, planIfDue } from "./plan.ts";
import type { PutTarget } from "./put-target.ts";
import { type CycleReport, failedRow, type ReportRow } from "./report.ts";
import type { Session } from "./session.ts";
import type { CycleSources } from "./sources/cycle-sources.ts";

export interface Cycle {
  /** Epoch ms. */
  readonly at: number;
  readonly session: Session;
  readonly sources: CycleSources;
  readonly target: PutTarget;
  readonly recall: Recall;
}

/** What was lost with the state directory is asked of the store. */
export interface Recall {
  readonly activity: ActivityRecall;
  readonly savedBodies: SavedBodyRecall;
}

/** Throws what stops the whole cycle: a ledger that cannot be read, a lease that is lost. */
export async function runCycle(cycle: Cycle): Promise<CycleReport> {
  const { at, session, sources, target } = cycle;
  await prepare(cycle);
  const plan = sources.advance((snapshot) => planCycle(session, snapshot, at));
  const rows: ReportRow[] = [...plan.failedRows];
  await eachLimited(plan.answers, target.concurrency, async (answer) => void rows.push(await put(cycle, answer)));
  if (session.selected("observations")) {
    for (const installation of plan.installations) await putOwnObservations(cycle, installation, rows);
    const index = planIndex(cycle, plan);
    if (index !== undefined) rows.push("action" in index ? index : await put(cycle, index));
  }
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { at, rows, failures: plan.failures };
}

/** What has to be known of the store before the plan, which must not await. */
async function prepare({ session, sources, recall }: Cycle): Promise<void> {
  const ids = sources.snapshot(({ installationId, ledger }) => [
    installationId,
    ...(ledger === undefined ? [] : listInstallations(ledger).map(({ id }) => id)),
  ]);
  for (const id of ids) await session.histories.prepare(id);
  if (session.selected("activity")) await recall.activity.ask(sources);
  await recall.savedBodies.ask(session.publications, sources);
}

async function put({ at, session, sources, target }: Cycle, answer: PlannedAnswer): Promise<ReportRow> {
  const { published, schedule } = session;
  const replan = ({ publication }: PlannedAnswer) =>
    sources.snapshot((snapshot) => planAnswer(publication, snapshot, at, session));
  try {
    const { planned, row } = await putAnswer(answer, { target, sources, published, replan });
    const { inputs, dueAt, decision } = planned;
    schedule.built(planned.publication.key, { ...inputs, dueAt, builtAt: decision.isGap ? 0 : at });
    return row;
  } catch (error) {
    if (isLeaseLost(error)) throw error;
    schedule.failed(answer.publication.key, answer.inputs, at);
    return failedRow(answer.publication, error);
  }
}

/** One installation's trouble is its own: what it has published stays, the others go on. */
async function putOwnObservations(cycle: Cycle, installation: InstallationReceipts, rows: ReportRow[]): Promise<void> {
  const { at, sources, target, session } = cycle;
  const { histories, tilePace } = session;
  try {
    await putObservations(installation, { at, sources, target, histories, tilePace }, (row) => rows.push(row));
  } catch (error) {
    if (isLeaseLost(error)) throw error;
    rows.push(failedRow({ key: `${observationsKey(installation.id)}/…`, resource: "observations" }, error));
  }
}

/** Last, so that no reader is sent to an installation whose objects are not there yet. */
function planIndex({ at, session, sources }: Cycle, plan: Plan): PlannedAnswer | ReportRow | undefined {
  const { histories } = session;
  for (const { id } of plan.installations) histories.name(id);
  return sources.snapshot((snapshot) => {
    const publication = installationsPublication(snapshot.installationId, histories.names);
    return planIfDue(session, publication, snapshot, at);
  });
}

function isLeaseLost(error: unknown): boolean {
  return error instanceof Failure && error.exitCode === EXIT.locked;
}
