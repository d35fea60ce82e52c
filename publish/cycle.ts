/**
 * One cycle (docs/spec/publishing.md#the-cycle): plan from the sources and the head, put the log's files, swap the head,
 * put the objects. A long history takes several steps, each with a swap of its own.
 */
import { readSync } from "../src/chain/store/sync-row.ts";
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { checkpointKey } from "../src/http/keys.ts";
import { contains, type LogPoint } from "../src/ledger/log.ts";
import { installationRowId } from "../src/ledger/watermarks.ts";
import { readIfWhole, type StoreTag } from "../src/object-store/object-store.ts";
import { saveHistory } from "../src/projections/settlements/saved-history.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { Failure } from "../src/values/failure.ts";
import type { Agenda } from "./agenda.ts";
import { type Head, LEFT_LIMIT, type PublishedResponse, RETIRED_LIMIT } from "./head/head.ts";
import { formOf, keysOf, PARTIAL_KEPT_MS, planLogFiles } from "./plan/log.ts";
import { isNewerProgram, needsHistory, type PlannedResponse } from "./plan/responses.ts";
import { checkChain, ledgerRegression } from "./plan/sources.ts";
import { type Memory, planStep, type StepOptions, type StepPlan } from "./plan/step.ts";
import { readStoredNames } from "./plan/tile-sets.ts";
import { executePuts, type Outcome, type Outcomes, type PutTarget } from "./put.ts";
import { type CycleReport, failedRow, type ReportRow, tooManyInstallations } from "./report.ts";
import type { CycleSources } from "./sources/source-reader.ts";

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
