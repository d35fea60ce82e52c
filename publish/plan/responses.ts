/**
 * Plans the responses (docs/spec/publishing.md#frozen-bytes): builds those that are due from the sources that continue
 * the head, and decides which are put, and as of which instant. A response that differs from the published one only by
 * generatedAt is not put. A due successor is put exactly as it was announced.
 */

import type { StoreTag } from "../../src/object-store/object-store.ts";
import { sealOf } from "../../src/object-store/seal-node.ts";
import { savedHistory } from "../../src/projections/settlements/saved-history.ts";
import type { Built } from "../../src/resources/built.ts";
import { buildOf, faultOf, type Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { Failure } from "../../src/values/failure.ts";
import { type Agenda, earlier, type Inputs } from "../agenda.ts";
import type { Head, PublishedResponse } from "../head/head.ts";
import type { Put } from "../put.ts";
import { failedRow, type ReportRow } from "../report.ts";
import { bindingHash, type ChainCheck, chainUse, withPublishedCore } from "./sources.ts";
import { fingerprintOf, futureOf, responseObject } from "./successors.ts";

export interface ResponsePlanning {
  readonly snapshot: Snapshot;
  readonly head: Head;
  readonly publications: readonly Publication[];
  readonly agenda: Pick<Agenda, "buildableAt">;
  /** Why nothing may be computed from facts. */
  readonly ledgerRefused: Failure | undefined;
  readonly chain: ChainCheck;
  /** Stored settlement bodies, by key. */
  readonly histories: ReadonlyMap<string, string>;
  /** Epoch ms. */
  readonly at: number;
  /** Entries of the log of the snapshot. */
  readonly logSize: number;
  /** Position of the configured installation's newest receipt. */
  readonly position: number;
  /** The version of this program. */
  readonly program: string;
  /** Put everything as of now, changed or not. A placeholder still replaces no good response. */
  readonly force: boolean;
}

/** A response that was due. */
export interface PlannedResponse {
  readonly publication: Publication;
  readonly inputs: Inputs;
  /** Undefined if it stays as it is. */
  readonly put: Put | undefined;
  /** The response's row in the head after the put. */
  readonly published: PublishedResponse | undefined;
  /** The stored history that the put takes out of the store. */
  readonly lostHistory: { readonly chain: string; readonly body: string } | undefined;
  readonly why: string;
  /** Decided while a source is incomplete, so the next change need not wait for the pace of puts. */
  readonly isProvisional: boolean;
  /** Epoch ms at which it is built again, even if no input has changed. */
  readonly dueAt: number | undefined;
  readonly milliseconds: number;
  /** Why this says unavailable: the view could not be rendered. */
  readonly failure?: unknown;
}

export interface ResponsePlan {
  readonly responses: readonly PlannedResponse[];
  /** Responses that were due and stay as they are; without a row, because their source is refused. */
  readonly failed: readonly { readonly key: string; readonly inputs: Inputs; readonly row: ReportRow | undefined }[];
  /** Responses that have changed and may not be put yet: key and instant (epoch ms). */
  readonly waits: readonly (readonly [key: string, until: number])[];
}

const NO_INPUTS: Inputs = { inputs: "", throttledInputs: "" };

export function planResponses(planning: ResponsePlanning): ResponsePlan {
  const responses: PlannedResponse[] = [];
  const failed: ResponsePlan["failed"][number][] = [];
  const waits: [string, number][] = [];
  for (const publication of planning.publications) {
    const { key } = publication;
    let inputs = NO_INPUTS;
    try {
      inputs = inputsOf(publication, planning.snapshot);
      const until = buildableAt(publication, inputs, planning);
      if (until === undefined) continue;
      if (until > planning.at) waits.push([key, until]);
      else if (isRefused(publication, planning)) failed.push({ key, inputs, row: undefined });
      else responses.push(planResponse(publication, inputs, planning));
    } catch (error) {
      if (error instanceof Failure && error.isAbout("clock")) throw error;
      // A failure with a code says nothing about the view's values.
      const unavailable = error instanceof Failure ? undefined : withoutView(publication, inputs, planning);
      if (unavailable === undefined) failed.push({ key, inputs, row: failedRow(publication, error) });
      else responses.push({ ...unavailable, failure: error });
    }
  }
  return { responses, failed, waits };
}

function inputsOf(publication: Publication, snapshot: Snapshot): Inputs {
  const throttledInputs = publication.timing?.throttledInputs?.(snapshot) ?? "";
  return { inputs: publication.inputs(snapshot), throttledInputs };
}

/** An unfinished response is put at once, whatever its pace. Inputs that cannot be derived do not change. */
function buildableAt(publication: Publication, inputs: Inputs, planning: ResponsePlanning): number | undefined {
  const { head, agenda, at, snapshot } = planning;
  const published = head.responses[publication.key];
  const isNew = published === undefined && publication.sources === undefined;
  if (isNew || head.unfinished.keys.includes(publication.key) || faultOf(publication, snapshot) !== undefined)
    return at;
  return agenda.buildableAt(publication, inputs, at, published?.asOf ?? 0);
}

/** True if a source of the response is refused, and nothing else can take its place. */
function isRefused(
  { sources = {}, keepsCore = false }: Publication,
  { ledgerRefused, chain }: ResponsePlanning,
): boolean {
  if (ledgerRefused !== undefined && (sources.kinds ?? []).length > 0) return true;
  return sources.usesChain === true && chainUse(chain, keepsCore) === "stays";
}

function planResponse(publication: Publication, inputs: Inputs, planning: ResponsePlanning): PlannedResponse {
  const started = performance.now();
  const { head, at, force, program } = planning;
  const { key, sources = {}, timing, keepsCore = false } = publication;
  const isPublishedCore = sources.usesChain === true && chainUse(planning.chain, keepsCore) === "published-core";
  const given = planning.snapshot.chain;
  const chain = isPublishedCore ? withPublishedCore(given, head.chain) : given;
  const snapshot: Snapshot = { ...planning.snapshot, chain, ...historyOf(publication, planning) };
  const published = head.responses[key];
  const build: Build = (when) => buildOf(publication, snapshot, when);
  const decision = decide(build, {
    published,
    at,
    force,
    isUnfinished: head.unfinished.keys.includes(key),
    isNewer: sources.program !== undefined && isNewerProgram(published?.program, sources.program),
    isChainUndecided: sources.usesChain === true && chain.isUndecided && !keepsCore,
  });
  const rest = { publication, inputs, why: decision.why, milliseconds: 0 };
  const rebuildAt = timing?.rebuildAt?.(planning.snapshot, at);
  if (!decision.put) {
    const dueAt = earlier(decision.dueAt, rebuildAt);
    const kept = {
      put: undefined,
      published: undefined,
      lostHistory: undefined,
      isProvisional: decision.isProvisional,
    };
    return { ...rest, ...kept, dueAt, milliseconds: performance.now() - started };
  }
  const future = futureOf(build, decision.from, decision.fresh);
  const position = key === TELEMETRY_KEY && planning.position > 0 ? planning.position : undefined;
  const { object, states } = responseObject(future, decision.from, position);
  const { status, headers } = future.built;
  const etag = headers.etag ?? null;
  const view = chain.core.status === "available" ? chain.core.view.chain : undefined;
  const usesChain = sources.usesChain === true;
  const next: PublishedResponse = {
    states,
    seal: sealOf(object),
    tag: published?.tag ?? null,
    status,
    etag,
    asOf: decision.from,
    logSize: (sources.kinds ?? []).length > 0 ? planning.logSize : null,
    safeBlock: usesChain ? safeBlockOf(view, head.chain, published) : null,
    binding: usesChain && chain.binding !== undefined ? bindingHash(chain.binding) : null,
    program: sources.program ?? program,
  };
  const put: Put = {
    key,
    resource: publication.resource,
    wave: publication.sources === undefined ? "constants" : "responses",
    object,
    replaces: publishedTag(published),
    after: future.successors.flatMap((successor) => successor.key ?? []),
    why: decision.why,
    action: published === undefined ? "created" : "updated",
    status,
    etag,
  };
  return {
    ...rest,
    put,
    published: next,
    lostHistory: lostHistory(publication, planning, future.built.body, next.binding),
    isProvisional: future.built.isPlaceholder === true,
    dueAt: earlier(states[1]?.[0], rebuildAt),
    milliseconds: performance.now() - started,
  };
}

/** The tag of a put is unknown until it is confirmed. */
function publishedTag(published: PublishedResponse | undefined): StoreTag | null | undefined {
  return published === undefined ? null : (published.tag ?? undefined);
}

type SafeBlock = PublishedResponse["safeBlock"];

/** Without a view the response still shows the published state, or was computed before the view ended. */
function safeBlockOf(
  view: { readonly safeThroughBlock: bigint; readonly safeBlockHash: string } | undefined,
  chain: Head["chain"],
  published: PublishedResponse | undefined,
): SafeBlock {
  if (view !== undefined) return { number: String(view.safeThroughBlock), hash: view.safeBlockHash };
  if (published?.safeBlock != null) return published.safeBlock;
  return chain === null ? null : { number: chain.safeBlock, hash: chain.safeHash };
}

/**
 * A view of the chain whose values do not make a response is unavailable, unless a good response is stored and still
 * valid (docs/spec/chain.md#forms 4). Otherwise an older reason would stay for ever.
 */
function withoutView(
  publication: Publication,
  inputs: Inputs,
  planning: ResponsePlanning,
): PlannedResponse | undefined {
  const { snapshot, head, at } = planning;
  const { chain } = snapshot;
  const isValid = (head.responses[publication.key]?.states[1]?.[0] ?? 0) > at;
  if (isRefused(publication, planning)) return undefined;
  if (publication.sources?.isChainView !== true || isValid || chain.core.status === "unavailable") return undefined;
  const none = { status: "unavailable", reason: "indexer_unavailable" } as const;
  const economy = chain.economy.status === "unavailable" ? chain.economy : none;
  const unavailable = { ...snapshot, faults: new Map(), chain: { ...chain, core: none, economy } };
  try {
    return planResponse(publication, inputs, { ...planning, snapshot: unavailable });
  } catch {
    // The first exception is reported.
    return undefined;
  }
}

/** The history that is stored. If a put has taken it out of the store, it was saved. */
function historyOf(
  { key, hasHistory }: Publication,
  { snapshot, head, histories }: ResponsePlanning,
): Pick<Snapshot, "publishedHistory"> {
  const { binding } = snapshot.chain;
  if (hasHistory === undefined || binding === undefined) return {};
  const stored = histories.get(key);
  const isOfBinding = head.responses[key]?.binding === bindingHash(binding);
  const isStored = stored !== undefined && isOfBinding && hasHistory(stored);
  return { publishedHistory: isStored ? stored : savedHistory(snapshot.projections, key, bindingHash(binding)) };
}

/** True if the plan needs the stored body: its history may be shown again, or a put may take it out of the store. */
export function needsHistory({ key, hasHistory }: Publication, { chain }: Snapshot, head: Head): boolean {
  const published = head.responses[key];
  if (hasHistory === undefined || published?.binding == null) return false;
  const isLive = chain.core.status === "available" && chain.economy.status === "available" && !chain.isUndecided;
  return !isLive || chain.binding === undefined || bindingHash(chain.binding) !== published.binding;
}

function lostHistory(
  { key, hasHistory }: Publication,
  { head, histories }: ResponsePlanning,
  body: string,
  binding: string | null,
): PlannedResponse["lostHistory"] {
  const chain = head.responses[key]?.binding;
  const before = histories.get(key);
  if (hasHistory === undefined || chain == null || before === undefined) return undefined;
  if (!hasHistory(before) || (hasHistory(body) && binding === chain)) return undefined;
  return { chain, body: before };
}

interface DecideOptions {
  readonly published: PublishedResponse | undefined;
  /** Epoch ms. */
  readonly at: number;
  readonly force: boolean;
  /** The stored object may differ from `published`. */
  readonly isUnfinished: boolean;
  /** A newer program put the file. An older one must not replace it, even with `force`. */
  readonly isNewer: boolean;
  /** The chain is read for the first time. A good response stays until its end. */
  readonly isChainUndecided: boolean;
}

type Decision =
  /** As of `from` (epoch ms). `fresh`: the build of that instant, if it was needed for the decision. */
  | { readonly put: true; readonly why: string; readonly from: number; readonly fresh: Built | undefined }
  | { readonly put: false; readonly why: string; readonly dueAt: number | undefined; readonly isProvisional: boolean };

type Build = (at: number) => Built;

/** Decides if a response is put, and as of which instant. It builds the response at most once, as of now. */
export function decide(build: Build, options: DecideOptions): Decision {
  const { published, at, force, isUnfinished, isNewer, isChainUndecided } = options;
  if (published === undefined) return { put: true, why: "new", from: at, fresh: undefined };
  const { states, status } = published;
  const next = states[1]?.[0];
  if (isNewer) return keep("put by a newer version", undefined);
  if (isChainUndecided && !isUnfinished && next !== undefined && next > at)
    return keep("still valid while the chain is read", next, true);
  const fresh = build(at);
  const isGood = status === 200;
  if (fresh.isPlaceholder === true && (isGood || !(force || isUnfinished))) {
    return keep(isGood ? "a good response is stored" : `still unavailable: a ${status} is stored`, undefined, true);
  }
  if (force) return { put: true, why: "forced", from: at, fresh };
  const index = states.findLastIndex(([from]) => from <= at);
  const [from = at, fingerprint] = states[index] ?? [];
  if (fingerprint !== fingerprintOf(fresh)) return { put: true, why: "changed", from: at, fresh };
  const announced = { from, fresh: from === at ? fresh : undefined };
  if (isUnfinished) return { put: true, why: "not confirmed yet", ...announced };
  if (index > 0) return { put: true, why: "its successor is due", ...announced };
  if (staysValid(next, fresh.nextChangeAt, at)) return keep("unchanged", next);
  return { put: true, why: "its successors have changed", ...announced };
}

/** True if the published next change can stay: it is right, or it is earlier and at least half as far away. */
function staysValid(published: number | undefined, now: number | undefined, at: number): boolean {
  if (published === now) return true;
  if (published === undefined || now === undefined) return false;
  return published < now && (published - at) * 2 >= now - at;
}

function keep(why: string, dueAt: number | undefined, isProvisional = false): Decision {
  return { put: false, why, dueAt, isProvisional };
}

/** True if `one` is a later program version (semver) than `other`; false if one is unknown. */
export function isNewerProgram(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (const [index, number] of a.entries()) {
    if (number !== b[index]) return number > (b[index] ?? 0);
  }
  return false;
}

/** Major, minor, patch, and 1 for a release or 0 for a prerelease. */
function numbersOf(version: string): number[] {
  const [core = "", before] = version.split("-", 2);
  const numbers = core.split(".").map(Number);
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, before === undefined ? 1 : 0];
}
