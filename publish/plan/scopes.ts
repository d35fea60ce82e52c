/** The scopes that are planned together: the configured installation with every file, or one other installation. */
import { FIRST_LOG } from "../../src/http/installations.ts";
import { checkpointKey } from "../../src/http/keys.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import type { Failure } from "../../src/values/failure.ts";
import type { Known } from "../known.ts";
import { type LogPlan, type LogState, ledgerRegression, logRoot, logState, planLog, storedCheckpoint } from "./log.ts";
import { planObservations } from "./observations.ts";
import type { Scope } from "./permitted-sources.ts";
import { EMPTY_PLAN, joined, type Lookup, needs, type Plan, type Planning, type StoreLookup } from "./plan.ts";
import { isListed, logLookups, type Responses, responsesOf, type Subject, subjectOf } from "./published.ts";
import { planResponses } from "./responses.ts";
import { type CurrentSources, chainRegression, currentSources, type RefusedSources } from "./source-version.ts";

export interface ScopePlanning extends Planning, Responses {}

/** Plans the configured installation with every file, or one other installation. Throws `Failure` clock_behind. */
export function planScope(id: string, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { checked, lookups } = checkScope(id, snapshot, planning);
  if (checked === undefined) return needs(lookups);
  const scope: Scope = { snapshot, ...checked };
  const logPlan = scope.refused.ledger === undefined ? planLog(checked.log, planning) : NO_LOG;
  if (logPlan.lookups.length > 0) return needs(logPlan.lookups);
  const { puts: log, isWhole } = logPlan;
  // Nothing may be computed from entries that are not committed yet.
  if (!isWhole) return { ...resultOf(scope, planning), log, hasMoreLog: true };
  const observations = planObservations(scope, planning);
  // Telemetry says where the observations end, so it waits for the last tile of a bulk.
  const hasMore = observations.observations.some((one) => one.hasMore);
  const responses = hasMore ? EMPTY_PLAN : planResponses(responsesOf(id, planning), scope, planning);
  const plan = joined([resultOf(scope, planning), responses, observations]);
  if (log.length === 0) return plan;
  const checkpoint = checkpointKey(logRoot(planning.signers), checked.log.number);
  // Entries that no response needs now wait as long as other keys.
  const until = (planning.known.get(checkpoint)?.putAt ?? 0) + planning.due.minimumPutInterval;
  if (!needsEntries(plan) && until > planning.at) return { ...plan, waits: [...plan.waits, [checkpoint, until]] };
  return { ...plan, log, puts: plan.puts.map((put) => ({ ...put, after: [...put.after, checkpoint] })) };
}

/** True if a put of the plan is computed from facts. */
function needsEntries({ responses, observations }: Plan): boolean {
  const isNeeded = responses.some(({ put, version }) => put !== undefined && version.size !== undefined);
  return isNeeded || observations.some(({ hasPuts }) => hasPuts);
}

const NO_LOG: LogPlan = { lookups: [], puts: [], isWhole: true };

/** A plan with the result of the check. An older index that came back is corrected even while a source is refused. */
function resultOf({ subject: { id, isPublished }, refused }: Scope, { known }: Planning): Plan {
  const unlisted = isPublished && !isListed(known, id) ? [id] : [];
  return { ...EMPTY_PLAN, checked: [{ installationId: id, refused }], unlisted };
}

export interface CheckedScope {
  /** Knowledge that must be looked up first. */
  readonly lookups: readonly Lookup[];
  /** Undefined while something is unknown. */
  readonly checked?: {
    readonly subject: Subject;
    readonly log: LogState;
    readonly now: CurrentSources;
    readonly refused: RefusedSources;
  };
}

/**
 * Compares ledger and chain with everything that was published (docs/spec/publishing.md#source-version). A source that is
 * behind or forked in one part must not advance another part.
 */
export function checkScope(id: string, snapshot: Snapshot, planning: ScopePlanning): CheckedScope {
  const { known } = planning;
  const { subject, lookups } = subjectOf(id, planning);
  const { lookups: ofLedger, log, refused: ledger } = checkLedger(snapshot.ledger, planning);
  const needed = [...lookups, ...ofLedger];
  if (needed.length > 0) return { lookups: needed };
  const now = currentSources(snapshot, id, log, planning);
  const chain = chainRegression(subject.published, now, (number) => known.blocks.get(number));
  if (chain.blocks.length > 0) return { lookups: chain.blocks.map((number) => ({ is: "block", number })) };
  return { lookups: [], checked: { subject, log, now, refused: { ledger, chain: chain.failure } } };
}

/**
 * Compares a ledger with the published log: the one check, for a publisher and for its standby. If the checkpoint is lost, the
 * versions of the configured installation take its place. While something is unknown, `refused` has no meaning.
 */
export function checkLedger(
  ledger: ReadOnlyDatabase | undefined,
  planning: { readonly known: Known } & Responses,
): { readonly lookups: readonly StoreLookup[]; readonly log: LogState; readonly refused: Failure | undefined } {
  const { known, configured } = planning;
  const { log: number = FIRST_LOG } = known;
  const lookups = logLookups(known);
  const isCheckpointLost = lookups.length === 0 && storedCheckpoint(known, number) === undefined;
  const own = isCheckpointLost ? subjectOf(configured, planning) : NO_VERSIONS;
  const log = logState(number, ledger, known, own.subject.published);
  return { lookups: [...lookups, ...own.lookups], log, refused: ledgerRegression(ledger, log) };
}

const NO_VERSIONS = { lookups: [], subject: { published: [] } } as const;
