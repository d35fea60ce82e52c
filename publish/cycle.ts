/**
 * One cycle (docs/spec/publishing.md#the-cycle): plan, learn what the plan lacks, commit the log, put, acknowledge, scope by
 * scope. A cycle that is killed at any step is repeated by the next one, which looks up what is stored.
 *
 * The order makes a crash safe. The index names the configured installation, and a new log, before anything is stored
 * under them. A response is put after the checkpoint that covers its facts. The configured installation comes before the others. Deletions come last.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { readSync } from "../src/chain/store/sync-row.ts";
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { checkpointKey, INSTALLATIONS_KEY } from "../src/http/keys.ts";
import {
  type Installation,
  installationRowId,
  lastInstallationRowId,
  listInstallations,
} from "../src/ledger/watermarks.ts";
import { StoreUnavailable } from "../src/object-store/object-store.ts";
import { saveHistory } from "../src/projections/settlements/saved-history.ts";
import { observationsKey } from "../src/resources/observations/route.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../src/resources/site/route.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../src/resources/telemetry/route.ts";
import { isFileError } from "../src/sqlite/sqlite-failure.ts";
import type { Failure } from "../src/values/failure.ts";
import { acknowledge } from "./acknowledge.ts";
import { eachLimited, Turns } from "./each-limited.ts";
import type { Known } from "./known.ts";
import { type Learning, learn } from "./learn.ts";
import { checkScope, isListed, type Responses, type Scope } from "./plan/check.ts";
import { planIndex } from "./plan/installations.ts";
import { type LogPlan, logRoot, planLog, plannedLogDeletions } from "./plan/log.ts";
import { planObservations } from "./plan/observations.ts";
import { EMPTY_PLAN, type Lookup, needs, type Plan, type Planning, type Put } from "./plan/plan.ts";
import { planResponses } from "./plan/responses.ts";
import { plannedDeletions } from "./plan/tile-sets.ts";
import { executeDeletions, executePuts, type PutOutcome, type PutTarget } from "./put.ts";
import { type CycleReport, failedRow, type ReportRow, tooManyInstallations, unknownInstallation } from "./report.ts";
import type { CycleSources } from "./sources/source-reader.ts";

/** Only `known` and `due` last from one cycle to the next. */
export interface Cycle extends Planning, Responses, Learning, PutTarget {
  readonly sources: CycleSources;
  /** The site is published besides the API. */
  readonly hasSite: boolean;
  /** Only one scope at a time appends to the log. */
  readonly logTurns: Turns;
  /** The report so far. */
  readonly rows: ReportRow[];
}

/** Attempts to put an object if the store does not hold what `known` says. */
const ATTEMPTS = 3;

/** Throws what stops the whole cycle: an unreadable ledger, a lost lease, a clock that is behind. */
export async function runCycle(cycle: Cycle): Promise<CycleReport> {
  const { at, known, due, configured, sources, rows } = cycle;
  readDoubted(cycle);
  sources.snapshot((snapshot) => rememberChain(snapshot, known));
  const dirty = sources.snapshot(({ ledger }) => ledger && due.dirty(ledger, at));
  if (indexGoesFirst(cycle)) {
    known.unlisted.add(configured);
    await publishIndex(cycle);
    if (indexGoesFirst(cycle)) return { at, rows, failures: [], warnings: warningsOf(sources) };
  }
  await publishOrFail(cycle, scopeOf(configured, cycle), () => planInstallation(configured, cycle));
  const isRefused = due.isLedgerRefused(configured);
  if (!isRefused) await publishOthers(dirty?.installations ?? [], cycle);
  await publishIndex(cycle);
  await deleteUnnamed(cycle);
  if (!isRefused) due.planned(dirty?.point);
  due.ended(at);
  const reported = new Set(rows.map(({ key }) => key));
  for (const failure of due.failures()) if (!reported.has(failure.key)) rows.push(failure);
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  const failures = [...failuresOf(cycle), ...tooMany(sources)];
  known.objects.dropBodies(keptBodies(cycle));
  known.blocks.forgetSilent();
  return { at, rows, failures, warnings: warningsOf(sources) };
}

/**
 * A put that was sent twice, or whose result is unknown, may reach the store within this time (ms). A put's own time limit is far
 * shorter.
 */
const DOUBT_MS = 60_000;

/** A late put may bring back an older object. Until that can no longer happen, each cycle reads the object again. */
function readDoubted({ known, due, at }: Cycle): void {
  for (const [key, since] of known.objects.doubted) {
    known.objects.forget(key);
    // A failed put already has its own retry time.
    if (!due.isUnpublished(key)) due.recheck(key, at);
    if (at - since >= DOUBT_MS) known.objects.endDoubt(key);
  }
}

/** Returns when (epoch ms) a doubted object is read for the last time, even if nothing else is due then. */
export function doubtEndsAt(known: Known): number | undefined {
  const ends = [...known.objects.doubted.values()].map((since) => since + DOUBT_MS);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Forgets the block hashes of another fork, and remembers the view's safe block, so that no node is asked for it later. */
function rememberChain({ chainDb, chain: { core } }: Snapshot, known: Known): void {
  const history = chainDb === undefined ? "" : readSync(chainDb).history;
  const point = core.status === "available" ? core.view.chain : undefined;
  known.blocks.rememberChain(history, point && { number: point.safeThroughBlock, hash: point.safeBlockHash });
}

/**
 * True if the index must be put before everything else. A prefix belongs to the installation that the index names, and no object
 * may be stored under a new log that it does not name.
 */
function indexGoesFirst({ known, configured }: Cycle): boolean {
  const index = known.objects.index;
  return index === undefined || index === "lost" || index.configured !== configured || index.log !== known.log;
}

/** A prefix holds the installations that came first in the log. */
function isPublishable({ rowId }: Installation): boolean {
  return rowId <= INSTALLATIONS_LIMIT;
}

/**
 * Checks the configured installation's sources before their facts are read, so that a refused ledger never gets into the
 * projections. The chain is followed even then, because a view at a new safe block needs all events up to it.
 */
async function planInstallation(id: string, cycle: Cycle): Promise<Plan> {
  const { sources, configured } = cycle;
  const check = (snapshot: Snapshot) => checkScope(id, snapshot, cycle);
  const plan = (snapshot: Snapshot) => {
    const { scope, lookups } = check(snapshot);
    return scope === undefined ? needs(lookups) : planScope(scope, cycle);
  };
  if (id !== configured) return sources.snapshot(plan);
  const { scope, lookups } = sources.snapshot(check);
  if (scope === undefined) return needs(lookups);
  return scope.refused.ledger === undefined ? sources.advance(plan) : sources.advanceChain(plan);
}

/** Plans one installation, after its sources were checked. Throws `Failure` clock_behind. */
function planScope(scope: Scope, cycle: Cycle): Plan {
  const { subject, log: state, refused } = scope;
  const unlisted = subject.isUnlisted ? [subject.id] : [];
  // An older index that came back is corrected even while a source is refused.
  const result: Plan = { ...EMPTY_PLAN, checked: [{ installationId: subject.id, refused }], unlisted };
  const logPlan = refused.ledger === undefined ? planLog(state, cycle) : NO_LOG;
  if (logPlan.lookups.length > 0) return needs(logPlan.lookups);
  const { puts: log, isWhole } = logPlan;
  // Nothing may be computed from entries that are not committed yet.
  if (!isWhole) return { ...result, log, hasMoreLog: true };
  const tiles = planTiles(scope, cycle);
  // Telemetry says where the observations end, so it waits for the last tile of a bulk.
  const hasMore = tiles.observations.some((one) => one.hasMore);
  const responses = hasMore ? EMPTY_PLAN : planResponses(scope, cycle);
  const lookups = [...responses.lookups, ...tiles.lookups];
  if (lookups.length > 0) return needs(lookups);
  const { checked } = result;
  const puts = [...responses.puts, ...tiles.puts];
  const failed = [...responses.failed, ...tiles.failed];
  const plan: Plan = { ...responses, failed, checked, unlisted, observations: tiles.observations, puts };
  if (log.length === 0) return plan;
  const checkpoint = checkpointKey(logRoot(cycle.signers), state.number);
  // Entries that no response needs now wait as long as other keys.
  const until = (cycle.known.objects.get(checkpoint)?.putAt ?? 0) + cycle.due.minimumPutInterval;
  const needsEntries = puts.some(({ isFromFacts }) => isFromFacts);
  if (!needsEntries && until > cycle.at) return { ...plan, waits: [...plan.waits, [checkpoint, until]] };
  const after = (put: Put) => (put.isFromFacts ? { ...put, after: [...put.after, checkpoint] } : put);
  return { ...plan, log, puts: puts.map(after) };
}

const NO_INPUTS = { inputs: "", throttledInputs: "" };

/** An exception costs only the tiles. */
function planTiles(scope: Scope, cycle: Cycle): Plan {
  try {
    return planObservations(scope, cycle);
  } catch (error) {
    if (isFileError(error)) throw error;
    const publication = { key: observationsKey(scope.subject.id), resource: "observations" } as const;
    return { ...EMPTY_PLAN, failed: [{ publication, inputs: NO_INPUTS, error }] };
  }
}

const NO_LOG: LogPlan = { lookups: [], puts: [], isWhole: true };

/** Publishes the other installations, a few at a time. Separate snapshots keep memory flat and let the event loop run. */
async function publishOthers(dirty: readonly Installation[], cycle: Cycle): Promise<void> {
  const { configured } = cycle;
  const others = dirty.filter((one) => one.id !== configured && isPublishable(one));
  const turns = new Turns();
  await eachLimited(others, cycle.concurrency, async ({ id }) => {
    // Plans one installation per turn of the event loop, however many wait for the store.
    await turns.run(() => nextTurn());
    await cycle.fence.beforePut();
    await publishOrFail(cycle, scopeOf(id, cycle), () => planInstallation(id, cycle));
  });
}

async function publishIndex(cycle: Cycle): Promise<void> {
  const { sources, known } = cycle;
  const isFirst = indexGoesFirst(cycle);
  const ofLedger = () =>
    sources.snapshot(({ ledger }) => (ledger === undefined ? [] : listInstallations(ledger).filter(isPublishable)));
  const index = { key: INSTALLATIONS_KEY, resource: "observations" } as const;
  await publishOrFail(cycle, index, async () => planIndex({ ...cycle, indexGoesFirst: isFirst, ofLedger }));
  for (const id of known.unlisted) if (isListed(known, id)) known.unlisted.delete(id);
  // If the index is lost once more, the objects must be listed once more.
  known.publishedInstallations = undefined;
}

/** The row of the report if a whole scope fails. */
type FailedScope = Pick<ReportRow, "key" | "resource">;

function scopeOf(id: string, { configured }: Cycle): FailedScope {
  return { key: id === configured ? TELEMETRY_KEY : installationTelemetryKey(id), resource: "telemetry" };
}

/** An exception that no response of the scope has caught costs this scope. It is planned again as after any failure. */
async function publishOrFail(cycle: Cycle, scope: FailedScope, plan: () => Promise<Plan>): Promise<void> {
  try {
    await publishScope(cycle, plan);
  } catch (error) {
    if (isFileError(error) || error instanceof StoreUnavailable) throw error;
    const row = failedRow(scope, error);
    cycle.rows.push(row);
    // The index is planned in every cycle.
    if (scope.key !== INSTALLATIONS_KEY) cycle.due.failed(scope.key, NO_INPUTS, cycle.at, row);
  }
}

/** Plans, learns what the plan lacks, commits the log, puts what depends on it, and plans again after a conflict. */
async function publishScope(cycle: Cycle, plan: () => Promise<Plan>): Promise<void> {
  const { sources } = cycle;
  const conflicts = new Map<string, number>();
  for (;;) {
    const planned = await plan();
    if (planned.lookups.length > 0) {
      await lookUp(planned.lookups, cycle);
      continue;
    }
    saveLostHistory(planned, sources);
    const committed = await commitLog(planned, cycle);
    if (committed === "moved") continue;
    const outcomes = [...committed, ...(await executePuts(planned.puts, cycle, committed))];
    const conflicted = conflictedKeys(outcomes);
    for (const key of conflicted) conflicts.set(key, (conflicts.get(key) ?? 0) + 1);
    const isLast = conflicted.every((key) => (conflicts.get(key) ?? 0) >= ATTEMPTS);
    acknowledge(planned, outcomes, { ...cycle, isLast });
    const hasMore =
      (planned.hasMoreLog || planned.observations.some((one) => one.hasMore)) &&
      outcomes.every(({ result }) => result === "done");
    if (isLast && !hasMore) return;
  }
}

/** The keys whose own put conflicted. A put that only waits for one of these is tried again with it. */
function conflictedKeys(outcomes: readonly PutOutcome[]): string[] {
  const keys = new Set(outcomes.filter(({ result }) => result === "conflicted").map(({ put }) => put.key));
  const own = outcomes.filter(({ put }) => keys.has(put.key) && !put.after.some((key) => keys.has(key)));
  return own.map(({ put }) => put.key);
}

/** Reads what a plan lacks from the store, and asks the chain's nodes for the hashes of published blocks. */
async function lookUp(lookups: readonly Lookup[], cycle: Cycle): Promise<void> {
  const { known, sources } = cycle;
  const inStore = lookups.filter((one) => one.is !== "block");
  await learn(inStore, cycle);
  const blocks = new Set(lookups.flatMap((one) => (one.is === "block" ? one.number : [])));
  const ask = async (number: string) =>
    known.blocks.remember(number, (await sources.blockHash(BigInt(number))) ?? null);
  await Promise.all([...blocks].map(ask));
}

/**
 * Puts the new entries of a plan and their checkpoint, one scope after the other. Returns "moved" if another scope has put a
 * checkpoint since, so that this one must be planned again.
 */
async function commitLog({ log }: Plan, cycle: Cycle): Promise<PutOutcome[] | "moved"> {
  if (log.length === 0) return [];
  const checkpoint = log.find(({ phase }) => phase === "checkpoint");
  return cycle.logTurns.run(async () => {
    const tag = checkpoint && (cycle.known.objects.get(checkpoint.key)?.tag ?? null);
    return tag === checkpoint?.replaces ? executePuts(log, cycle) : "moved";
  });
}

/** Saves settlement history that the puts take out of the store, before they do. */
function saveLostHistory({ responses }: Plan, sources: CycleSources): void {
  for (const { publication, lostHistory } of responses) {
    if (lostHistory === undefined) continue;
    const { chain, body } = lostHistory;
    sources.write(({ projections }) => saveHistory(projections, publication.key, chain, body));
  }
}

/** Deletes objects that no stored object refers to any more. After an outage, a later cycle does it. */
async function deleteUnnamed(cycle: Cycle): Promise<void> {
  const { at, known, publications, hasSite, signers } = cycle;
  try {
    const tiles = plannedDeletions(publications, known, at);
    await executeDeletions([...tiles, ...plannedLogDeletions(known, signers, at)], cycle);
    if (!hasSite) await removeSite(cycle);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

/** Deletes everything below the site's prefix, once after the site was turned off. */
async function removeSite(cycle: Cycle): Promise<void> {
  const { known } = cycle;
  if (known.listings.names(SITE_PREFIX) === undefined) await learn([{ is: "listing", prefix: SITE_PREFIX }], cycle);
  const names = [...(known.listings.names(SITE_PREFIX)?.keys() ?? [])];
  const deletions = names.map((name) => ({
    key: SITE_PREFIX + name,
    confirmed() {
      known.listings.deleteName(SITE_PREFIX, name);
      known.objects.drop(SITE_PREFIX + name);
    },
  }));
  await executeDeletions(deletions, cycle);
  if (names.length > 0) known.listings.drop(ASSETS_PREFIX);
}

/** The keys of responses from which a part is kept while no node responds, so that later plans read their bodies. */
function keptBodies({ publications }: Cycle): ReadonlySet<string> {
  return new Set(publications.flatMap(({ key, publishedBody }) => (publishedBody === undefined ? [] : [key])));
}

function failuresOf({ due: { refused } }: Cycle): Failure[] {
  const failures = [...refused.values()].flatMap(({ ledger, chain }) => [ledger, chain]);
  return failures.filter((failure) => failure !== undefined);
}

function tooMany(sources: CycleSources): Failure[] {
  const count = sources.snapshot(({ ledger }) => (ledger === undefined ? 0 : lastInstallationRowId(ledger)));
  return count <= INSTALLATIONS_LIMIT ? [] : [tooManyInstallations(count, INSTALLATIONS_LIMIT)];
}

function warningsOf(sources: CycleSources): Failure[] {
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
