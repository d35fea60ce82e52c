/**
 * One cycle (docs/spec/publishing.md#the-cycle): learn, plan, put, acknowledge, scope by scope. A cycle that is killed at
 * any step is repeated by the next one, which looks up what is stored.
 *
 * The order makes a crash safe. The index lists the configured installation, and a new history, before anything is stored
 * under them. The configured installation comes before the others. Deletions come last.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { readSync } from "../src/chain/store/sync-row.ts";
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import {
  type Installation,
  installationRowId,
  lastInstallationRowId,
  listInstallations,
} from "../src/ledger/watermarks.ts";
import { StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../src/resources/site/route.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { acknowledge } from "./acknowledge.ts";
import type { DirtyBatch } from "./dirty-installations.ts";
import { eachLimited } from "./each-limited.ts";
import { learn } from "./learn.ts";
import { FIRST_HISTORY, isNamed, storedIndex } from "./plan/histories.ts";
import { planIndex } from "./plan/installations.ts";
import { needs, type Plan, type Unknown } from "./plan/plan.ts";
import { checkScope, planScope, type ScopePlanning } from "./plan/scopes.ts";
import { plannedDeletions } from "./plan/tile-sets.ts";
import { executeDeletions, executePuts, type PutTarget } from "./put.ts";
import {
  type CycleReport,
  type ReportFailure,
  type ReportRow,
  reportFailure,
  tooManyInstallations,
  unknownInstallation,
} from "./report.ts";
import { isLedgerRefused, type Session } from "./session.ts";
import type { CycleSources } from "./sources/source-reader.ts";

export interface Cycle {
  /** Epoch ms. */
  readonly at: number;
  readonly session: Session;
  readonly sources: CycleSources;
  readonly target: PutTarget;
  /** The report so far. */
  readonly rows: ReportRow[];
}

/** Attempts to publish a scope if the store does not hold what `known` says. */
const ATTEMPTS = 3;
/** Installations that are looked up in the ledger together. */
const SLICE = 16;

/** Throws what stops the whole cycle: an unreadable ledger, a lost lease, a clock that is behind. */
export async function runCycle(cycle: Cycle): Promise<CycleReport> {
  const { at, session, sources, rows } = cycle;
  readDoubted(session, at);
  sources.snapshot((snapshot) => rememberChain(snapshot, session));
  const dirty = sources.snapshot(({ ledger }) => session.dirty.find(ledger, dueInstallations(session, at)));
  if (session.mustNameFirst && !(await nameFirst(cycle))) {
    return { at, rows, failures: [], warnings: warningsOf(sources) };
  }
  await publishOwn(cycle);
  if (!isLedgerRefused(session)) await publishOthers(cycle, dirty);
  await publishIndex(cycle);
  await deleteUnnamed(cycle);
  if (!isLedgerRefused(session)) session.dirty.planned(dirty);
  session.pace.ended(at);
  scheduleDoubted(session);
  session.known.dropBodies((key) => isKept(key, session));
  session.known.forgetSilentBlocks();
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { at, rows, failures: [...failuresOf(session), ...tooMany(sources)], warnings: warningsOf(sources) };
}

/** Forgets the block hashes of another fork, and remembers the view's safe block, so that no node is asked for it later. */
function rememberChain({ chainDb, chain: { core } }: Snapshot, { known }: Session): void {
  const history = chainDb === undefined ? "" : readSync(chainDb).history;
  const point = core.status === "available" ? core.view.chain : undefined;
  known.rememberChain(history, point && { number: point.safeThroughBlock, hash: point.safeBlockHash });
}

/** A put with an unknown result may reach the store within this time (ms). A put's own time limit is far shorter. */
const DOUBT_MS = 60_000;

/** A late put may bring back an older object. Until that can no longer happen, each cycle reads the object again. */
function readDoubted({ known, pace }: Session, at: number): void {
  for (const [key, since] of known.doubted) {
    known.forget(key);
    // A failed put already has its own retry time.
    if (!pace.waiting().has(key)) pace.hurry(key, at);
    if (at - since < DOUBT_MS) continue;
    pace.reread(key, undefined);
    known.endDoubt(key);
  }
}

/** Schedules a last read of each doubted object for the end of its doubt, even if nothing else is due then. */
function scheduleDoubted({ known, pace }: Session): void {
  for (const [key, since] of known.doubted) pace.reread(key, since + DOUBT_MS);
}

/** Yields the installations that are due now. The ledger may not know all of them. */
function* dueInstallations({ pace }: Session, at: number): Iterable<string> {
  for (const key of pace.due(at)) {
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) yield id;
  }
  yield* pace.dueTiles(at);
}

/**
 * Puts the index before everything else. A prefix belongs to the installation that the index names, and no object may be
 * stored under a history that it does not name. A new index names every installation of the ledger, because an
 * installation that it lacks is offline for readers. Returns false if the index could not be put.
 */
async function nameFirst(cycle: Cycle): Promise<boolean> {
  const { session, sources, rows } = cycle;
  const { known, names, configured } = session;
  const isNew = storedIndex(known) === "lost" && session.selected("observations");
  const all = isNew ? sources.snapshot(({ ledger }) => (ledger === undefined ? [] : listInstallations(ledger))) : [];
  const ids = all.filter(({ rowId }) => rowId <= INSTALLATIONS_LIMIT).map(({ id }) => id);
  for (const id of [configured, ...ids]) if (!names.has(id)) names.set(id, FIRST_HISTORY);
  await publishIndex(cycle);
  session.mustNameFirst = rows.some(({ action }) => action === "failed");
  return !session.mustNameFirst;
}

/**
 * Checks the sources before it reads their facts, so that a refused ledger never gets into the projections. The chain
 * is followed even then, because a view at a new safe block needs all events up to it.
 */
async function publishOwn(cycle: Cycle): Promise<void> {
  const { sources, session } = cycle;
  const planning = planningOf(cycle);
  const plan = (snapshot: Snapshot) => planScope(session.configured, snapshot, planning);
  await publishScope(cycle, async () => {
    const { checked, unknown } = sources.snapshot((snapshot) => checkScope(session.configured, snapshot, planning));
    if (checked === undefined) return needs(unknown);
    return checked.refused.ledger === undefined ? sources.advance(plan) : sources.advanceChain(plan);
  });
}

/** Publishes the other installations, a few at a time. Separate snapshots keep memory flat and let the event loop run. */
async function publishOthers(cycle: Cycle, dirty: DirtyBatch): Promise<void> {
  const { sources, target } = cycle;
  const planning = planningOf(cycle);
  let turns = Promise.resolve();
  await eachLimited(othersOf(cycle, dirty), target.concurrency, async ({ id }) => {
    // Plans one installation per turn of the event loop, however many wait for the store.
    turns = turns.then(() => nextTurn());
    await turns;
    await target.fence.beforePut();
    await publishScope(cycle, async () => sources.snapshot((snapshot) => planScope(id, snapshot, planning)));
  });
}

function* othersOf({ session, sources }: Cycle, dirty: DirtyBatch): Iterable<Installation> {
  const take = () => sources.snapshot(({ ledger }) => ledger && dirty.take(ledger, SLICE));
  for (let slice = take(); slice !== undefined; slice = take()) {
    yield* slice.filter(({ id, rowId }) => id !== session.configured && rowId <= INSTALLATIONS_LIMIT);
  }
}

async function publishIndex(cycle: Cycle): Promise<void> {
  const { session, at } = cycle;
  if (!session.selected("observations") && !session.mustNameFirst) return;
  await publishScope(cycle, async () => planIndex({ ...session, at }));
  const { known, names } = session;
  for (const [id, history] of names) if (isNamed(known, id, history)) names.delete(id);
  // If the index is lost once more, the objects must be listed once more.
  known.publishedInstallations = undefined;
}

/** Plans, learns what the plan lacks, puts what it has, and plans again after a conflict. */
async function publishScope(cycle: Cycle, plan: () => Promise<Plan>): Promise<void> {
  const { sources, target } = cycle;
  for (let conflicts = 0; ; ) {
    const planned = await plan();
    if (planned.unknown.length > 0) {
      await learn(planned.unknown, target);
      restoreHistory(planned.unknown, cycle);
      continue;
    }
    const outcomes = await executePuts(planned.puts, sources, target);
    const isLast = !outcomes.some(({ result }) => result === "conflicted") || ++conflicts === ATTEMPTS;
    acknowledge(planned, outcomes, { ...cycle, isLast });
    const hasMore =
      planned.observations.some((one) => one.hasMore) && outcomes.every(({ result }) => result === "done");
    if (isLast && !hasMore) return;
  }
}

/**
 * Copies the settlement history of a stored response into the projections. Theirs may be lost or older: another
 * publisher may have published meanwhile, a put's confirmation may be lost, or the file may be an older copy.
 */
function restoreHistory(unknown: readonly Unknown[], { session, sources }: Cycle): void {
  for (const one of unknown) {
    if (one.is !== "answer") continue;
    const history = session.publications.find(({ key }) => key === one.key)?.publishedBody?.history;
    const body = session.known.body(one.key);
    session.savedAsked.add(one.key);
    if (history !== undefined && body !== undefined) sources.write((snapshot) => history.restore(snapshot, body));
  }
}

/** Deletes objects that no stored object refers to any more. After an outage, a later cycle does it. */
async function deleteUnnamed({ at, session, target }: Cycle): Promise<void> {
  const { known, publications, hasSite } = session;
  try {
    const deletions = plannedDeletions(
      publications.filter(({ resource }) => session.selected(resource)),
      known,
      at,
    );
    await executeDeletions(deletions, target);
    if (session.selected("site") && !hasSite) await removeSite(target);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

/** Deletes everything below the site's prefix, once after the site was turned off. */
async function removeSite(target: PutTarget): Promise<void> {
  const { known } = target;
  if (known.listing(SITE_PREFIX) === undefined) await learn([{ is: "listing", prefix: SITE_PREFIX }], target);
  const names = [...(known.listing(SITE_PREFIX)?.keys() ?? [])];
  const deletions = names.map((name) => ({
    key: SITE_PREFIX + name,
    confirmed() {
      known.deleteName(SITE_PREFIX, name);
      known.drop(SITE_PREFIX + name);
    },
  }));
  await executeDeletions(deletions, target);
  if (names.length > 0) known.dropListing(ASSETS_PREFIX);
}

function planningOf({ session, at }: Cycle): ScopePlanning {
  return { ...session, at };
}

/**
 * True for bodies that later plans read: the index, and responses from which the chain part is kept while no node
 * responds.
 */
function isKept(key: string, { publications }: Session): boolean {
  if (key === INSTALLATIONS_KEY) return true;
  return publications.some((one: Publication) => one.key === key && one.publishedBody?.core !== undefined);
}

function failuresOf({ refused }: Session): ReportFailure[] {
  const failures = [...refused.values()].flatMap(({ ledger, chain }) => [ledger, chain]);
  return failures.filter((failure) => failure !== undefined).map(reportFailure);
}

/** A prefix holds the installations that came first in the log. */
function tooMany(sources: CycleSources): ReportFailure[] {
  const count = sources.snapshot(({ ledger }) => (ledger === undefined ? 0 : lastInstallationRowId(ledger)));
  return count <= INSTALLATIONS_LIMIT ? [] : [reportFailure(tooManyInstallations(count, INSTALLATIONS_LIMIT))];
}

function warningsOf(sources: CycleSources) {
  return sources.snapshot(({ ledger, installationId }) => {
    if (ledger === undefined || installationRowId(ledger, installationId) !== undefined) return [];
    return [
      unknownInstallation(
        installationId,
        listInstallations(ledger).map(({ id }) => id),
      ),
    ];
  });
}
