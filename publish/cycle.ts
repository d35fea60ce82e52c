/**
 * One cycle (docs/spec/publishing.md#the-cycle): learn, plan, put, acknowledge, scope by scope. It is idempotent: killed at
 * any step, the next cycle reads what is stored and goes on.
 *
 * The order is what makes a crash safe: a new history is named before anything is put under it; the configured
 * installation comes before the others; the index comes after what it names; deletions come last.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { isShardKey } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { type Installation, installationNo, listInstallations } from "../src/ledger/watermarks.ts";
import { StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../src/resources/site/route.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/keys.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
import { acknowledge } from "./acknowledge.ts";
import type { InstallationsToPlan } from "./due/moved-installations.ts";
import { eachLimited } from "./each-limited.ts";
import { learn } from "./learn.ts";
import { isNamed, planIndex } from "./plan/installations.ts";
import type { Plan } from "./plan/plan.ts";
import { planOther, planOwn, refusedLedger, type ScopePlanning } from "./plan/scopes.ts";
import { plannedDeletions } from "./plan/tile-sets.ts";
import { executeDeletions, executePuts, type PutTarget } from "./put.ts";
import { type CycleReport, type ReportRow, unknownInstallation } from "./report.ts";
import { reconcileNames, type Session } from "./session.ts";
import type { CycleSources } from "./sources/cycle-sources.ts";

export interface Cycle {
  /** Epoch ms. */
  readonly at: number;
  readonly session: Session;
  readonly sources: CycleSources;
  readonly target: PutTarget;
  /** The report so far. */
  readonly rows: ReportRow[];
}

/** How often a scope is planned again because the store held something else than was known. */
const ATTEMPTS = 3;
/** Installations that are looked up in the ledger together. */
const SLICE = 16;

/** Throws what stops the whole cycle: a ledger that cannot be read, a lease that is lost, a clock that is behind. */
export async function runCycle(cycle: Cycle): Promise<CycleReport> {
  const { at, session, sources, rows } = cycle;
  readDoubted(session, at);
  const dirty = sources.snapshot(({ ledger }) => session.moved.find(ledger, dueInstallations(session, at)));
  if (session.mustNameFirst) await nameHistories(cycle);
  await publishOwn(cycle);
  await publishOthers(cycle, dirty);
  await nextTurn();
  await publishIndex(cycle);
  await deleteUnnamed(cycle);
  session.moved.settle(dirty);
  dateDoubted(session, at);
  session.known.dropBodies((key) => isKept(key, session));
  for (const [number, hash] of session.known.blocks) if (hash === null) session.known.blocks.delete(number);
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { at, rows, failures: session.regressions.report(), warnings: warningsOf(sources) };
}

/** A put whose end nobody knows may still be done for so long (ms): far beyond the time limit of a put. */
const DOUBT_MS = 60_000;

/** What such a put was to replace may be back: until then each cycle reads the object before it believes it. */
function readDoubted({ known, pace, doubtedSince }: Session, at: number): void {
  for (const key of known.doubted) {
    const since = doubtedSince.get(key) ?? at;
    known.forget(key);
    // One that could not be put keeps its own pace.
    if (!pace.waiting().has(key)) pace.hurry(key, at);
    if (at - since < DOUBT_MS) continue;
    pace.reread(key, undefined);
    known.doubted.delete(key);
    doubtedSince.delete(key);
  }
}

/** Those of this cycle are read for the last time when the doubt is over, also if nothing moves until then. */
function dateDoubted({ known, pace, doubtedSince }: Session, at: number): void {
  for (const key of known.doubted) {
    if (doubtedSince.has(key)) continue;
    doubtedSince.set(key, at);
    pace.reread(key, at + DOUBT_MS);
  }
}

/** Installations of which something is due by time; not all of them need be known to the ledger. */
function* dueInstallations({ pace }: Session, at: number): Iterable<string> {
  for (const key of pace.due(at)) {
    const id = parseInstallationTelemetryKey(key);
    if (id !== undefined) yield id;
  }
  yield* pace.dueTiles(at);
}

/** Nothing may be put under a history that the store does not name yet. */
async function nameHistories(cycle: Cycle): Promise<void> {
  await publishIndex(cycle);
  const failed = cycle.rows.find(({ action }) => action === "failed");
  if (failed !== undefined) {
    throw new Failure("history_unnamed", `the new history could not be named: ${failed.why}`, { exit: EXIT.io });
  }
  cycle.session.mustNameFirst = false;
}

/** A ledger that would take something back is not taken into the projections, and its answers stay as they are. */
async function publishOwn(cycle: Cycle): Promise<void> {
  const { sources } = cycle;
  const planning = planningOf(cycle);
  for (;;) {
    const { unknown, isRefused } = sources.snapshot((snapshot) => refusedLedger(snapshot, planning));
    if (unknown.length === 0) {
      const read = isRefused ? readNow(sources) : advanced(sources);
      return publishScope(cycle, (snapshot) => planOwn(snapshot, planning), read);
    }
    await learn(unknown, cycle.target);
  }
}

type Read = (plan: (snapshot: Snapshot) => Plan) => Promise<Plan>;

function readNow(sources: CycleSources): Read {
  return async (plan) => sources.snapshot(plan);
}

function advanced(sources: CycleSources): Read {
  return (plan) => sources.advance(plan);
}

/** A few at a time, each in a snapshot of its own: what is held of them stays small, and the event loop runs in between. */
async function publishOthers(cycle: Cycle, dirty: InstallationsToPlan): Promise<void> {
  const { sources, target } = cycle;
  const planning = planningOf(cycle);
  let turns = Promise.resolve();
  await eachLimited(othersOf(cycle, dirty), target.concurrency, async (installation) => {
    // One in each turn of the event loop, however many wait for the store.
    turns = turns.then(() => nextTurn());
    await turns;
    await target.fence.beforePut();
    await publishScope(cycle, (snapshot) => planOther(installation, snapshot, planning), readNow(sources));
  });
}

function* othersOf({ session, sources }: Cycle, dirty: InstallationsToPlan): Iterable<Installation> {
  const take = () => sources.snapshot(({ ledger }) => ledger && dirty.take(ledger, SLICE));
  for (let slice = take(); slice !== undefined; slice = take()) {
    yield* slice.filter(({ id }) => id !== session.configured);
  }
}

async function publishIndex(cycle: Cycle): Promise<void> {
  const { session, sources } = cycle;
  if (!session.selected("observations") && !session.mustNameFirst) return;
  await publishScope(cycle, () => planIndex({ ...session, at: cycle.at }), readNow(sources));
  const { known, names, rechecked } = session;
  for (const [id, history] of names) if (isNamed(known, id, history)) names.delete(id);
  for (const key of rechecked) if (known.get(key) !== undefined) rechecked.delete(key);
  // Who has objects is listed again if the index is lost again.
  known.publishedInstallations = undefined;
}

/** Learns what the plan does not know, puts what it has, and plans again if the store held something else. */
async function publishScope(cycle: Cycle, plan: (snapshot: Snapshot) => Plan, read: Read): Promise<void> {
  const { sources, target } = cycle;
  for (let conflicts = 0; ; ) {
    const planned = await read(plan);
    if (planned.unknown.length > 0) {
      await learn(planned.unknown, target);
      keepSaved(planned, cycle);
      reconcileNames(planned.unknown, cycle.session);
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

/** Settlement history that the projections have lost is read from the response that shows it. */
function keepSaved({ unknown }: Plan, { session, sources }: Cycle): void {
  for (const one of unknown) {
    if (one.is !== "saved") continue;
    const body = session.known.body(one.key);
    session.savedAsked.add(one.key);
    if (body !== undefined) sources.write((snapshot) => one.publication.savedBody?.save(snapshot, body));
  }
}

/** What fails of it is done in a later cycle: it is of no use to a reader. */
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

/** With the site turned off, everything below its prefix goes, once. */
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

/** Bodies that later plans read: the index, and what a silent chain leaves as it was published. */
function isKept(key: string, { publications }: Session): boolean {
  if (key === INSTALLATIONS_KEY || isShardKey(key)) return true;
  return publications.some((one: Publication) => one.key === key && one.publishedCore !== undefined);
}

function warningsOf(sources: CycleSources) {
  return sources.snapshot(({ ledger, installationId }) => {
    if (ledger === undefined || installationNo(ledger, installationId) !== undefined) return [];
    return [
      unknownInstallation(
        installationId,
        listInstallations(ledger).map(({ id }) => id),
      ),
    ];
  });
}
