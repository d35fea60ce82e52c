/**
 * One cycle (docs/spec/publishing.md#the-cycle): what has moved → build → compare → put, in order. It is idempotent:
 * killed at any step, the next one finds what is in the store and goes on.
 *
 * A crash before a put leaves the old answer, whole. A crash after a put and before it is remembered leaves a tag that
 * we do not know: the next put of that key conflicts, finds our own or an earlier epoch's object, adopts it and plans
 * anew. A new history is named before anything is put under it; tiles are put before the index that names their
 * installation for the first time.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Installation, installationNo } from "../../src/ledger/watermarks.ts";
import { StoreDamaged } from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { observationsKey } from "../../src/resources/observations/keys.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  TELEMETRY_KEY,
} from "../../src/resources/telemetry/keys.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import type { ActivityRecall } from "../activity/recall.ts";
import { type PlannedAnswer, planAnswer } from "../answers/plan-answer.ts";
import { readPublished } from "../answers/published-object.ts";
import { putAnswer } from "../answers/put-answer.ts";
import type { SavedBodyRecall } from "../answers/recall-saved.ts";
import { isBehind } from "../asof/behind-list.ts";
import { shortHash } from "../asof/vector.ts";
import type { InstallationsToPlan } from "../due/moved-installations.ts";
import { fencedPut } from "../lease/fenced-put.ts";
import { putObservations } from "../observations/put-installation.ts";
import type { InstallationReceipts } from "../observations/tiles.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { PutTarget } from "../puts/put-target.ts";
import { type CycleReport, failedRow, type ReportRow, unknownInstallation } from "../puts/report.ts";
import type { CycleSources } from "../sources/cycle-sources.ts";
import { type Plan, planOther, planOwn } from "./plan.ts";
import { putIndex } from "./put-index.ts";
import type { Session } from "./session.ts";

/** Installations that are looked up in the ledger together. */
const SLICE = 16;

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

/** Throws what stops the whole cycle: a ledger that cannot be read, a lease that is lost, a clock that is behind. */
export async function runCycle(cycle: Cycle): Promise<CycleReport> {
  const { at, session, sources } = cycle;
  const { toPlan, configured } = sources.snapshot(({ ledger, installationId }) => ({
    toPlan: session.moved.find(ledger, dueInstallations(session, at)),
    configured: installationId,
  }));
  await prepare(cycle, configured);
  await keepPrevious(cycle);
  const rows: ReportRow[] = [];
  if (session.histories.mustBeNamedFirst) await nameHistories(cycle, rows);
  const own = await sources.advance((snapshot) => planOwn(session, snapshot, at));
  await nextTurn();
  await putPlan(cycle, own, rows);
  await putOthers(cycle, toPlan, rows);
  await nextTurn();
  if (session.selected("observations")) rows.push(...(await putIndexOf(cycle)));
  await sources.catchUp();
  session.moved.settle(toPlan);
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  const { knownInstead } = own;
  const warnings = knownInstead === undefined ? [] : [unknownInstallation(configured, knownInstead)];
  return { at, rows, failures: session.behind.report(), warnings };
}

/** Installations of which something is due by time; not all of them need be known to the ledger. */
function* dueInstallations({ schedule, tilePace }: Session, at: number): Iterable<string> {
  for (const key of schedule.due(at)) {
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) yield id;
  }
  yield* tilePace.due(at);
}

/** What has to be known of the store before the plan, which must not await. */
async function prepare({ session, sources, target, recall }: Cycle, configured: string): Promise<void> {
  const hasChain = sources.snapshot(({ chain }) => chain.binding !== undefined);
  await session.histories.prepare(configured);
  if (hasChain) await readCores(session, target);
  if (session.selected("activity")) await recall.activity.ask(sources);
  await recall.savedBodies.ask(session.publications, sources);
}

/**
 * The installation that was the configured one before may be of another ledger, which nothing can be built from now. Its
 * telemetry goes under its own key before the new one's takes its place (docs/spec/publishing.md#asof).
 */
async function keepPrevious({ session, sources, target }: Cycle): Promise<void> {
  const { histories, published, selected } = session;
  const { index, configured } = histories;
  const before = index.configuredBefore;
  if (before === undefined || before === configured || !selected("telemetry")) return;
  const isStillThere = published.get(TELEMETRY_KEY)?.asof.of === shortHash(before);
  const isKnown = sources.snapshot(
    ({ ledger }) => ledger !== undefined && installationNo(ledger, before) !== undefined,
  );
  if (!isStillThere || isKnown) return;
  const found = await readOrDamaged(target.store, TELEMETRY_KEY);
  if (found === undefined || found instanceof StoreDamaged) return;
  const key = installationTelemetryKey(before);
  const replaces = (await readOrDamaged(target.store, key))?.tag;
  const { epoch, writer } = target.fence;
  const metadata = { ...found.metadata, epoch: String(epoch), writer };
  const { body, contentType } = found;
  await fencedPut(target, { key, object: { body, contentType, metadata }, replaces });
}

/**
 * A few at a time, each looked up in the store before its first put, planned in a snapshot of its own, and put: what is
 * held of them stays small, and the process does other things in between.
 */
async function putOthers(cycle: Cycle, toPlan: InstallationsToPlan, rows: ReportRow[]): Promise<void> {
  const { at, session, sources, target } = cycle;
  let turns = Promise.resolve();
  await eachLimited(othersOf(cycle, toPlan), target.concurrency, async (installation) => {
    // One in each turn of the event loop, however many wait for the store.
    turns = turns.then(() => nextTurn());
    await turns;
    await target.fence.beforePut();
    await session.histories.prepare(installation.id);
    const plan = sources.snapshot((snapshot) => planOther(session, installation, snapshot, at));
    await putPlan(cycle, plan, rows);
  });
}

function* othersOf({ session, sources }: Cycle, toPlan: InstallationsToPlan): Iterable<Installation> {
  const take = () => sources.snapshot(({ ledger }) => ledger && toPlan.take(ledger, SLICE));
  for (let slice = take(); slice !== undefined; slice = take()) {
    yield* slice.filter(({ id }) => id !== session.histories.configured);
  }
}

async function putPlan(cycle: Cycle, plan: Plan, rows: ReportRow[]): Promise<void> {
  const { session, target } = cycle;
  rows.push(...plan.failedRows);
  const putAll = async (answers: readonly PlannedAnswer[]) =>
    eachLimited(answers, target.concurrency, async (answer) => void rows.push(...(await put(cycle, answer))));
  await putAll(plan.answers.filter(({ publication }) => publication.isNamedByOthers === true));
  await putAll(plan.answers.filter(({ publication }) => publication.isNamedByOthers !== true));
  if (!session.selected("observations")) return;
  for (const installation of plan.installations) await putOwnObservations(cycle, installation, rows);
  for (const { id } of plan.installations) session.histories.name(id);
}

/** Once a session, before the first plan: what a published answer shows of the Core stays while the chain is behind. */
async function readCores({ publications, published, publishedCores, coresAsked }: Session, { store }: PutTarget) {
  for (const { key, publishedCore } of publications) {
    if (publishedCore === undefined || coresAsked.has(key)) continue;
    coresAsked.add(key);
    const found = await readPublished(store, published, key);
    const core = found && publishedCore(new TextDecoder().decode(found.body));
    if (core !== undefined) publishedCores.set(key, core);
  }
}

/** One row, or none where the sources turned out to be behind. */
async function put({ at, session, sources, target }: Cycle, answer: PlannedAnswer): Promise<ReportRow[]> {
  const { published, publishedCores, schedule, behind } = session;
  const { key } = answer.publication;
  const replan = ({ publication }: PlannedAnswer) =>
    sources.snapshot((snapshot) => planAnswer(publication, snapshot, at, session));
  try {
    const { planned, row } = await putAnswer(answer, { target, sources, published, publishedCores, replan });
    const { inputs, dueAt, decision } = planned;
    schedule.built(key, { ...inputs, dueAt, builtAt: decision.isGap ? 0 : at });
    return [row];
  } catch (error) {
    if (stopsAll(error)) throw error;
    schedule.failed(key, answer.inputs, at);
    if (!isBehind(error)) return [failedRow(answer.publication, error)];
    behind.add(key, error);
    return [];
  }
}

/** One installation's trouble is its own: what it has published stays, the others go on. */
async function putOwnObservations(cycle: Cycle, installation: InstallationReceipts, rows: ReportRow[]): Promise<void> {
  const { at, sources, target, session } = cycle;
  const { histories, tilePace } = session;
  try {
    await putObservations(installation, { at, sources, target, histories, tilePace }, (row) => rows.push(row));
  } catch (error) {
    if (stopsAll(error)) throw error;
    session.moved.leave(installation.id);
    rows.push(failedRow({ key: `${observationsKey(installation.id)}/…`, resource: "observations" }, error));
  }
}

/** Nothing may be put under a history that the store does not name yet. */
async function nameHistories(cycle: Cycle, rows: ReportRow[]): Promise<void> {
  const named = await putIndexOf(cycle);
  rows.push(...named);
  const failed = named.find(({ action }) => action === "failed");
  if (failed !== undefined) {
    throw new Failure("history_unnamed", `the new history could not be named: ${failed.why}`, { exit: EXIT.io });
  }
  cycle.session.histories.named();
}

function putIndexOf(cycle: Cycle): Promise<ReportRow[]> {
  return putIndex({ ...cycle, put: (planned) => put(cycle, planned) });
}

function stopsAll(error: unknown): boolean {
  return error instanceof Failure && (error.exitCode === EXIT.locked || error.code.startsWith("clock_"));
}
