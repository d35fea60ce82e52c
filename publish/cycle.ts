/**
 * One cycle (docs/spec/publishing.md#the-cycle): plan from the sources and the head, put the log's files, swap the head,
 * put the objects. A plan is values, computed in one transaction. A long history takes several steps, each with a swap of
 * its own.
 */
import { readSync } from "../src/chain/store/sync-row.ts";
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { checkpointKey, INSTALLATIONS_KEY, logPrefix } from "../src/http/keys.ts";
import { loggedPosition } from "../src/ledger/intake/stream-position.ts";
import { contains, type LogPoint, logPoint } from "../src/ledger/log.ts";
import {
  installationRowId,
  lastInstallationRowId,
  listInstallations,
  readWatermarks,
} from "../src/ledger/watermarks.ts";
import type { Signer } from "../src/log/signer.ts";
import { readIfWhole, type StoreTag } from "../src/object-store/object-store.ts";
import { sealOf } from "../src/object-store/seal-node.ts";
import { saveHistory } from "../src/projections/settlements/saved-history.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { TELEMETRY_KEY } from "../src/resources/telemetry/route.ts";
import { Failure } from "../src/values/failure.ts";
import { type Agenda, earlier } from "./agenda.ts";
import { type Head, LEFT_LIMIT, type PublishedResponse, RETIRED_LIMIT } from "./head/head.ts";
import { type Finished, type InstallationPlan, indexOf, planInstallations } from "./plan/installations.ts";
import { checkpointPut, formOf, keysOf, planLogFiles } from "./plan/log.ts";
import {
  decide,
  isNewerProgram,
  needsHistory,
  type PlannedResponse,
  planResponses,
  type ResponsePlan,
} from "./plan/responses.ts";
import { type ChainCheck, checkChain, ledgerRegression, nextChain } from "./plan/sources.ts";
import { futureOf, responseObject } from "./plan/successors.ts";
import { planTileSets, readStoredNames, type TileSetPlan } from "./plan/tile-sets.ts";
import { executePuts, type Outcome, type Outcomes, type Put, type PutTarget } from "./put.ts";
import { type CycleReport, failedRow, type ReportRow, tooManyInstallations, unknownInstallation } from "./report.ts";
import type { CycleSources } from "./sources/source-reader.ts";

/** What a process remembers between cycles. All of it may be lost. */
export class Memory {
  readonly finished = new Map<number, Finished>();
  /** Tags of the objects of other installations. */
  readonly tags = new Map<string, StoreTag>();
  readonly retries = new Map<string, number>();
  /** Stored settlement bodies, by key. */
  readonly histories = new Map<string, string>();
  readonly names = new Map<string, ReadonlySet<string>>();
  /** Hashes of published blocks as the nodes gave them: null if every node was silent. */
  readonly blocks = new Map<string, string | null>();
  /** The fork in the chain's file of which `blocks` are. */
  chainHistory = "";
  /** Keys that nothing refers to, and until when (epoch ms) they are kept, while `retired` is full. */
  dropped: (readonly [string, number])[] = [];
}

/** `PublisherOptions` (publisher.ts) explains the fields. */
interface StepOptions {
  readonly publications: readonly Publication[];
  readonly signers: readonly Signer[];
  readonly program: string;
  readonly force: boolean;
  readonly minimumPutInterval: number;
}

export interface Cycle {
  readonly sources: CycleSources;
  readonly target: PutTarget;
  readonly memory: Memory;
  readonly agenda: Agenda;
  readonly options: StepOptions;
  /** Epoch ms. */
  readonly at: number;
}

export interface CycleResult {
  readonly report: CycleReport;
  /** Another step is needed at once. */
  readonly hasMore: boolean;
  /** Epoch ms at which an installation that waits may be put. */
  readonly wakeAt: number | undefined;
}

/** How often a step is tried, if an older head comes back during it. */
const TRIES = 3;

/** Runs one step. Throws what concerns everything: `StoreUnavailable`, `Failure` lease_…, clock_…, ledger_…. */
export async function runStep(cycle: Cycle): Promise<CycleResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryStep(cycle);
    } catch (error) {
      const isOlder = error instanceof Failure && error.code === "head_older";
      if (!isOlder || tries === TRIES) throw error;
    }
  }
}

async function tryStep(cycle: Cycle): Promise<CycleResult> {
  const { sources, target, memory, options, at, agenda } = cycle;
  const { held } = target;
  const plan = await planned(cycle);
  if (plan.refused === undefined) await putLog(plan.log, cycle);
  for (const { publication, lostHistory } of plan.responses.responses) {
    if (lostHistory === undefined) continue;
    const { chain, body } = lostHistory;
    sources.write(({ projections }) => saveHistory(projections, publication.key, chain, body));
  }
  if (plan.changesHead) await held.swap((head) => changed(head, plan, options, at));
  const outcomes: Outcomes = new Map();
  try {
    await executePuts(plan.puts, target, outcomes);
  } finally {
    confirm(plan, outcomes, cycle);
  }
  const rows = acknowledge(plan, outcomes, cycle);
  memory.dropped = plan.rest;
  for (const [block, hash] of memory.blocks) if (hash === null) memory.blocks.delete(block);
  const { refused, chain } = plan;
  const failures = [refused, chain.kind === "behind" ? chain.failure : undefined, ...tooMany(plan)].filter(
    (failure) => failure !== undefined,
  );
  const reported = new Set(rows.map(({ key }) => key));
  rows.push(...agenda.failures().filter(({ key }) => !reported.has(key)));
  rows.sort((one, other) => (one.key < other.key ? -1 : 1));
  return {
    report: { at, rows, failures, warnings: plan.warnings },
    hasMore: plan.hasMore,
    wakeAt: plan.installations.wakeAt,
  };
}

/** Everything that one step does, as values. */
interface StepPlan {
  readonly refused: Failure | undefined;
  readonly chain: ChainCheck;
  /** The ledger's log in the plan's transaction; the head's if the ledger is refused, or there is none. */
  readonly log: LogPoint;
  readonly responses: ResponsePlan;
  readonly tiles: TileSetPlan;
  readonly installations: InstallationPlan;
  /** What the head says of the index and the checkpoint after their puts. */
  readonly own: Readonly<Record<string, PublishedResponse>>;
  readonly listed: number;
  readonly puts: readonly Put[];
  readonly nextChain: Head["chain"];
  readonly stream: Head["stream"];
  /** For `retired`: those that fit, and the rest. */
  readonly retired: Head["retired"];
  readonly rest: (readonly [string, number])[];
  readonly changesHead: boolean;
  readonly hasMore: boolean;
  readonly installationCount: number;
  readonly warnings: readonly Failure[];
}

/** Plans, reads what the plan needs from the store or from a node, and plans again. */
async function planned({ sources, target, memory, agenda, options, at }: Cycle): Promise<StepPlan> {
  const { store, held } = target;
  for (;;) {
    const found = sources.snapshot((snapshot) => {
      rememberChain(snapshot, memory);
      const chain = checkChain(held.head.chain, snapshot.chain, (block) => memory.blocks.get(block));
      const lacks = options.publications.filter(
        (one) => !memory.histories.has(one.key) && needsHistory(one, snapshot, held.head),
      );
      return { chain, lacks, refused: ledgerRegression(snapshot.ledger, held.head.log) };
    });
    if (found.chain.kind === "ask") {
      const { block } = found.chain;
      memory.blocks.set(block, (await sources.blockHash(BigInt(block))) ?? null);
      continue;
    }
    for (const { key } of found.lacks) {
      const stored = await readIfWhole(store, key);
      memory.histories.set(
        key,
        stored === undefined ? '{"status":"unavailable"}' : new TextDecoder().decode(stored.body),
      );
    }
    const { chain, refused } = found;
    const planning = { head: held.head, chain, refused, memory, agenda, options, at };
    const plan = (snapshot: Snapshot) => planStep(snapshot, planning);
    const result = await (refused === undefined ? sources.advance(plan) : sources.advanceChain(plan));
    if (result === undefined) continue;
    if (result.tiles.needs.length === 0) return result;
    for (const one of result.tiles.needs) {
      memory.names.set(one.tileSet?.prefix ?? "", await readStoredNames(one, store));
    }
  }
}

/** Block hashes of another fork are forgotten. */
function rememberChain({ chainDb }: Snapshot, memory: Memory): void {
  const history = chainDb === undefined ? "" : readSync(chainDb).history;
  if (history !== memory.chainHistory) memory.blocks.clear();
  memory.chainHistory = history;
}

/** What a step is planned from, besides a snapshot of the sources. A plan only reads it. */
interface StepPlanning {
  readonly head: Head;
  readonly chain: ChainCheck;
  /** Why nothing may be computed from facts. */
  readonly refused: Failure | undefined;
  readonly memory: Memory;
  readonly agenda: Pick<Agenda, "buildableAt">;
  readonly options: StepOptions;
  /** Epoch ms. */
  readonly at: number;
}

/** Undefined if a source was replaced since it was checked. */
function planStep(given: Snapshot, planning: StepPlanning): StepPlan | undefined {
  const { head, refused, at } = planning;
  const { signers, minimumPutInterval } = planning.options;
  if (refused === undefined && ledgerRegression(given.ledger, head.log) !== undefined) return undefined;
  const genesis = head.chain?.genesisTimestamp;
  const snapshot = {
    ...given,
    genesisTimestamp: given.genesisTimestamp ?? (genesis == null ? undefined : BigInt(genesis)),
  };
  const { ledger } = snapshot;
  const log = refused !== undefined || ledger === undefined ? head.log : logPoint(ledger);
  const step = planAt(log, snapshot, planning);
  // Entries that no response needs now wait as long as other keys.
  const committedAt = head.responses[checkpointKey(formOf(signers))]?.asOf ?? 0;
  const needsEntries = step.puts.some(({ wave }) => wave !== "checkpoint");
  if (needsEntries || log.size === head.log.size || committedAt + minimumPutInterval <= at) return step;
  const { size, root } = head.log;
  const wakeAt = committedAt + minimumPutInterval;
  const installations = {
    ...step.installations,
    unfinished: head.unfinished,
    wakeAt: earlier(step.installations.wakeAt, wakeAt),
  };
  return { ...step, installations, log: { size, root }, puts: [], own: {}, stream: head.stream, changesHead: false };
}

function planAt(
  log: LogPoint,
  snapshot: Snapshot,
  { head, chain, refused, memory, agenda, options, at }: StepPlanning,
): StepPlan {
  const { program, force, minimumPutInterval, signers } = options;
  const { ledger, installationId: configured } = snapshot;
  const rowId = ledger && installationRowId(ledger, configured);
  const position = ledger === undefined || rowId === undefined ? 0 : readWatermarks(ledger, rowId).receipt;
  const planning = {
    snapshot: refused === undefined ? snapshot : { ...snapshot, ledger: undefined },
    head,
    memory,
    configured,
    at,
    size: log.size,
    minimumPutInterval,
  };
  const first = planInstallations({ ...planning, isConfiguredUrgent: false });
  const publications = [unknownTelemetryPublication, telemetryPublication(configured, true), ...options.publications];
  // Telemetry says where the observations end, so the responses wait for the last tile of a bulk.
  const planned = first.isConfiguredWhole
    ? planResponses({
        snapshot,
        head,
        publications,
        agenda,
        ledgerRefused: refused,
        chain,
        histories: memory.histories,
        at,
        logSize: log.size,
        position,
        program,
        force,
      })
    : NO_RESPONSES;
  const tiles = planTileSets(planned.responses, snapshot, memory.names, { at, force });
  const responses = withoutFailed(planned, tiles.failed);
  const isUrgent = first.isConfiguredWaiting && responses.responses.some(({ put }) => put?.key === TELEMETRY_KEY);
  const installations = isUrgent ? planInstallations({ ...planning, isConfiguredUrgent: true }) : first;
  const index = planIndex(snapshot, installations.through, { head, options, at });
  const checkpoint = planCheckpoint(log, { head, options, at });
  const own = { ...index?.published, ...checkpoint?.published };
  const tilesOfConfigured = installations.puts.flatMap(({ key }) =>
    installations.owners.get(key) === configured ? key : [],
  );
  const responsePuts = responses.responses.flatMap(({ put }) => {
    if (put === undefined) return [];
    const before = put.key === TELEMETRY_KEY ? tilesOfConfigured : (tiles.after.get(put.key) ?? []);
    return { ...put, after: [...(put.after ?? []), ...before] };
  });
  const puts = [
    ...(checkpoint === undefined ? [] : [checkpoint.put]),
    ...(index?.put === undefined ? [] : [index.put]),
    ...tiles.puts.values(),
    ...installations.puts,
    ...responsePuts,
  ];
  // A log that becomes public was copied.
  const former = head.log.form === "private" && formOf(signers) === "public" && head.log.size > 0;
  const abandoned = former ? [[logPrefix("private"), at + PARTIAL_KEPT_MS] as const] : [];
  const dropped = [...memory.dropped, ...tiles.dropped, ...abandoned].filter(
    ([key]) => !puts.some((put) => put.key === key),
  );
  const room = Math.max(0, RETIRED_LIMIT - head.retired.length);
  const isMoved = isDifferent(head.unfinished, installations.unfinished);
  return {
    refused,
    chain,
    log,
    responses,
    tiles,
    installations,
    own,
    listed: index?.listed ?? head.listed,
    puts,
    nextChain: nextChain(head.chain, snapshot, chain),
    stream: refused === undefined && ledger !== undefined ? (loggedPosition(ledger) ?? null) : head.stream,
    retired: dropped.slice(0, room).map(([key, until]) => [key, until]),
    rest: dropped.slice(room),
    changesHead:
      puts.length > 0 ||
      (index?.listed ?? head.listed) !== head.listed ||
      log.size !== head.log.size ||
      isMoved ||
      dropped.length > 0,
    hasMore: installations.hasMore || (index?.isFirst === true && installations.through > 0),
    installationCount: ledger === undefined ? 0 : lastInstallationRowId(ledger),
    warnings: warningsOf(snapshot),
  };
}

type Unfinished = Omit<Head["unfinished"], "keys">;

function isDifferent(one: Unfinished, other: Unfinished): boolean {
  const textOf = ({ since, until, through, left }: Unfinished) => JSON.stringify([since, until, through, left]);
  return textOf(one) !== textOf(other);
}

/** A response whose tiles cannot be put fails with them. */
function withoutFailed({ responses, failed, waits }: ResponsePlan, faults: TileSetPlan["failed"]): ResponsePlan {
  if (faults.size === 0) return { responses, failed, waits };
  const more = responses.flatMap(({ publication, inputs }) => {
    const { key } = publication;
    return faults.has(key) ? [{ key, inputs, row: failedRow(publication, faults.get(key)) }] : [];
  });
  return {
    responses: responses.filter(({ publication }) => !faults.has(publication.key)),
    failed: [...failed, ...more],
    waits,
  };
}

const NO_RESPONSES: ResponsePlan = { responses: [], failed: [], waits: [] };

/** What the index and the checkpoint are planned from. */
type OwnPlanning = Pick<StepPlanning, "head" | "options" | "at">;

interface OwnPut {
  readonly put: Put;
  readonly published: Readonly<Record<string, PublishedResponse>>;
}

interface IndexPlan extends Partial<OwnPut> {
  /** The row of the last installation that the index lists. */
  readonly listed: number;
  readonly isFirst: boolean;
}

/** The index goes first to an empty prefix, and otherwise after the objects of the installations that it adds. */
function planIndex(snapshot: Snapshot, through: number, { head, options, at }: OwnPlanning): IndexPlan | undefined {
  const { program, force, minimumPutInterval } = options;
  const before = head.responses[INSTALLATIONS_KEY];
  const isFirst = before === undefined;
  // Not all installations that it lists are stored yet.
  if (!isFirst && through < head.listed) return undefined;
  const listed = isFirst ? head.listed : Math.max(head.listed, through);
  const isUnfinished = head.unfinished.keys.includes(INSTALLATIONS_KEY);
  if (!isFirst && !force && !isUnfinished && listed === head.listed) return undefined;
  if (!isFirst && !force && !isUnfinished && before.asOf + minimumPutInterval > at) return undefined;
  const publication = indexOf(snapshot, listed);
  const build = (instant: number) => publication.build(snapshot, instant);
  const facts = { published: before, at, force, isUnfinished, isNewer: false, isChainUndecided: false };
  const decision = decide(build, facts);
  // The configured installation is listed in any case.
  if (!decision.put) return { listed, isFirst };
  const { object, states } = responseObject(futureOf(build, at, decision.fresh), at);
  const { key, resource } = publication;
  const wave = isFirst ? "first-index" : "index";
  const report = { why: decision.why, action: isFirst ? "created" : "updated", status: 200, etag: null } as const;
  const put: Put = { key, resource, wave, object, replaces: isFirst ? null : (before.tag ?? undefined), ...report };
  return { put, published: { [key]: ownResponse(put, states, at, program) }, listed, isFirst };
}

function planCheckpoint(log: LogPoint, { head, options, at }: OwnPlanning): OwnPut | undefined {
  const { signers, program, force } = options;
  const key = checkpointKey(formOf(signers));
  const before = head.responses[key];
  const isSame = head.log.size === log.size && head.log.keys.join() === keysOf(signers).join();
  const isNeeded = log.size > 0 && (before === undefined || !isSame || head.unfinished.keys.includes(key) || force);
  if (!isNeeded) return undefined;
  const put = checkpointPut(log, signers, before === undefined ? null : (before.tag ?? undefined));
  return { put, published: { [key]: ownResponse(put, [], at, program) } };
}

function ownResponse({ object, status, etag }: Put, states: PublishedResponse["states"], at: number, program: string) {
  const none = { tag: null, logSize: null, safeBlock: null, binding: null };
  return { ...none, states, seal: sealOf(object), status, etag, asOf: at, program };
}

/** Puts the log's files after the head's size. They are stored before the head says so. */
async function putLog(
  log: LogPoint,
  { sources, target, options, at }: Pick<Cycle, "sources" | "target" | "options" | "at">,
): Promise<void> {
  const { signers, force } = options;
  const form = formOf(signers);
  const { held } = target;
  const { head } = held;
  for (let since = force || head.log.form !== form ? 0 : head.log.size; since < log.size; ) {
    const part = sources.snapshot(({ ledger }) =>
      ledger !== undefined && contains(ledger, log) ? planLogFiles(ledger, form, since, log.size) : undefined,
    );
    // The ledger was replaced. The next cycle compares it again.
    if (part === undefined) throw new Failure("ledger_forked", "the ledger was replaced during a cycle");
    const failed = (await executePuts(part.puts, target)).find(({ tag }) => tag === undefined);
    if (failed !== undefined) throw new Error(failed.row.why);
    const until = at + PARTIAL_KEPT_MS;
    if (part.replaced.length > 0)
      held.note(({ retired }) =>
        retire(
          retired,
          part.replaced.map((key) => [key, until]),
        ),
      );
    since = part.size;
  }
}

/** A reader may be in the middle of a smaller tree, so its partial files stay for this time (ms). */
const PARTIAL_KEPT_MS = 3_600_000;

function retire(retired: Head["retired"], more: Head["retired"]): Pick<Head, "retired"> {
  const known = new Set(retired.map(([key]) => key));
  return { retired: [...retired, ...more.filter(([key]) => !known.has(key))].slice(0, RETIRED_LIMIT) };
}

/** The head with everything that readers may see next. */
function changed(head: Head, plan: StepPlan, { signers, program }: StepOptions, at: number): Partial<Head> {
  const { log, installations, own, responses } = plan;
  const next: Record<string, PublishedResponse> = { ...head.responses, ...own };
  for (const { publication, published } of responses.responses) {
    if (published !== undefined) next[publication.key] = published;
  }
  if (formOf(signers) === "public") delete next[checkpointKey("private")];
  const put = new Set(plan.puts.map(({ key }) => key));
  const keys = [...new Set([...head.unfinished.keys, ...put])].filter((key) => next[key] !== undefined);
  // Until the puts are done, what they need is unfinished.
  const { since, until, through, left } = head.unfinished;
  const isNewPass = through === 0 && installations.unfinished.through > 0;
  return {
    at,
    program: isNewerProgram(head.program, program) ? head.program : program,
    log: { size: log.size, root: log.root, form: formOf(signers), keys: keysOf(signers) },
    chain: plan.nextChain,
    responses: next,
    listed: plan.listed,
    unfinished: { since, until: isNewPass ? installations.unfinished.until : until, through, left, keys },
    stream: plan.stream,
    ...retire(
      head.retired.filter(([key]) => !put.has(key)),
      plan.retired,
    ),
  };
}

/** Keeps what was done until the next swap. */
function confirm(
  plan: StepPlan,
  outcomes: Outcomes,
  { target, memory, at, sources, options }: Omit<Cycle, "agenda">,
): void {
  const { held } = target;
  const { installations, responses, tiles } = plan;
  const tags = new Map([...outcomes].flatMap(([key, { tag }]) => (tag === undefined ? [] : [[key, tag] as const])));
  const failedIds = new Set([...installations.owners].flatMap(([key, id]) => (tags.has(key) ? [] : [id])));
  const conflicted = new Set(
    [...outcomes].flatMap(([key, { tag }]) => (tag === undefined ? (installations.owners.get(key) ?? []) : [])),
  );
  for (const key of installations.owners.keys()) {
    const tag = tags.get(key);
    if (tag !== undefined) memory.tags.set(key, tag);
  }
  for (const [id, until] of installations.retries) memory.retries.set(id, until);
  for (const { publication, put } of responses.responses) {
    if (put === undefined || !tags.has(put.key)) continue;
    const { hasHistory, tileSet, key } = publication;
    if (hasHistory !== undefined) memory.histories.set(key, new TextDecoder().decode(put.object.body));
    const names = tileSet && tiles.names.get(tileSet.prefix);
    if (tileSet !== undefined && names !== undefined) memory.names.set(tileSet.prefix, names);
  }
  const rows = new Map(
    sources.snapshot(({ ledger }) =>
      [...failedIds].flatMap((id) => {
        const rowId = ledger && installationRowId(ledger, id);
        return rowId === undefined ? [] : [[rowId, id] as const];
      }),
    ),
  );
  for (const [rowId, finished] of installations.finished) {
    if (!rows.has(rowId)) memory.finished.set(rowId, finished);
  }
  const left = [...installations.unfinished.left];
  for (const [rowId, id] of rows) {
    // After an outage everything is tried again at once.
    if (conflicted.has(id)) memory.retries.set(id, at + RETRY_MS);
    if (!left.some(([other]) => other === id)) left.push([id, memory.finished.get(rowId)?.position ?? 0]);
  }
  // `since` may move on only if each installation that failed is in the list.
  const isListed = left.length <= LEFT_LIMIT;
  for (const [rowId, { size, putAt }] of memory.finished) {
    if (size <= held.head.unfinished.since && putAt + options.minimumPutInterval < at) memory.finished.delete(rowId);
  }
  held.note((head) => {
    const { responses, unfinished } = confirmed(head, tags);
    const { keys } = unfinished;
    return { responses, unfinished: isListed ? { ...installations.unfinished, left, keys } : unfinished };
  });
}

/** The head after the store has confirmed the puts of some responses. */
export function confirmed({ responses, unfinished }: Head, tags: ReadonlyMap<string, StoreTag>) {
  const known = Object.entries(responses).map(([key, response]) => {
    const tag = tags.get(key);
    return [key, tag === undefined ? response : { ...response, tag }] as const;
  });
  const keys = unfinished.keys.filter((key) => !tags.has(key));
  return { responses: Object.fromEntries(known), unfinished: { ...unfinished, keys } };
}

/** Objects that another publisher's are in the way of are tried again after this time (ms). */
const RETRY_MS = 5_000;

function acknowledge(
  plan: StepPlan,
  outcomes: Outcomes,
  { agenda, target, at }: Pick<Cycle, "agenda" | "target" | "at">,
): ReportRow[] {
  const { responses } = target.held.head;
  const rows: ReportRow[] = [...plan.installations.failed];
  for (const [key, until] of plan.responses.waits) agenda.wait(key, until);
  for (const { key, inputs, row } of plan.responses.failed) {
    agenda.failed(key, inputs, at, row);
    if (row !== undefined) rows.push(row);
  }
  for (const response of plan.responses.responses) {
    const { publication, inputs, isProvisional, dueAt } = response;
    const row = responseRow(response, outcomes.get(publication.key), responses[publication.key]);
    if (row.action === "failed") agenda.failed(publication.key, inputs, at, row);
    else agenda.built(publication.key, inputs, isProvisional ? 0 : at, dueAt);
    rows.push(row);
  }
  const planned = new Set(plan.responses.responses.map(({ publication }) => publication.key));
  for (const { put, row } of outcomes.values()) if (!planned.has(put.key) && row.action !== "unchanged") rows.push(row);
  return rows;
}

function responseRow(
  { publication, why, milliseconds, failure }: PlannedResponse,
  outcome: Outcome | undefined,
  published: PublishedResponse | undefined,
): ReportRow {
  if (failure !== undefined) return failedRow(publication, failure);
  if (outcome !== undefined) return { ...outcome.row, milliseconds: outcome.row.milliseconds + milliseconds };
  const { key, resource } = publication;
  const { status = null, etag = null } = published ?? {};
  return { key, resource, action: "unchanged", why, status, bytes: 0, etag, milliseconds };
}

function tooMany({ installationCount }: StepPlan): Failure[] {
  return installationCount <= INSTALLATIONS_LIMIT ? [] : [tooManyInstallations(installationCount, INSTALLATIONS_LIMIT)];
}

function warningsOf({ ledger, installationId }: Snapshot): Failure[] {
  if (ledger === undefined || installationRowId(ledger, installationId) !== undefined) return [];
  return [
    unknownInstallation(
      installationId,
      listInstallations(ledger).map(({ id }) => id),
    ),
  ];
}
