/**
 * Plans the responses of one installation: builds those that are due from the sources that their stored objects permit, and
 * compares them with what is published. The sources are the current facts and chain. If the chain is refused or no node
 * responds, the published chain state replaces the chain.
 */
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import { savedHistory } from "../../src/projections/settlements/saved-history.ts";
import { buildOf, faultOf, type Publication, type Sources } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";
import { clockBehind, isAhead } from "../clock/instant.ts";
import { earlier, type Inputs } from "../due.ts";
import type { KnownObject } from "../known-objects.ts";
import { WAS_DAMAGED } from "../report.ts";
import { type CurrentSources, isVersionOf, type Scope } from "./check.ts";
import { decide, isNew, type Place, responsePut } from "./decide.ts";
import { isOfLog } from "./log-state.ts";
import {
  EMPTY_PLAN,
  type Lookup,
  type NamedTiles,
  needs,
  type Plan,
  type PlannedResponse,
  type Planning,
  type Put,
} from "./plan.ts";
import { namedTiles } from "./tile-sets.ts";

/** Builds the responses that are due, but none from a refused ledger. Throws `Failure` clock_behind. */
export function planResponses(scope: Scope, planning: Planning): Plan {
  const { snapshot, refused, subject } = scope;
  const due: { readonly publication: Publication; readonly inputs: Inputs }[] = [];
  const lookups: Lookup[] = [];
  const waits: [string, number][] = [];
  const failed: Plan["failed"][number][] = [];
  for (const publication of subject.publications) {
    let inputs: Inputs | undefined;
    try {
      inputs = inputsOf(publication, snapshot);
      // Inputs that cannot be derived do not change, so the response is due in each cycle.
      const isFaulty = faultOf(publication, snapshot) !== undefined;
      const until = isFaulty ? planning.at : buildableAt(publication, inputs, planning);
      if (until === undefined) continue;
      if (until > planning.at) {
        waits.push([publication.key, until]);
        continue;
      }
      if (refused.ledger !== undefined && hasFacts(publication)) {
        failed.push({ publication, inputs, error: undefined });
        continue;
      }
      lookups.push(...lookupsOf(publication, planning));
      due.push({ publication, inputs });
    } catch (error) {
      failed.push({ publication, inputs, error });
    }
  }
  if (lookups.length > 0) return needs(lookups);
  const responses: PlannedResponse[] = [];
  const puts: Put[] = [];
  const tileSets: NamedTiles[] = [];
  /** Two responses may list the same tiles, as the site's pages do. */
  const plannedTiles = new Set<string>();
  for (const { publication, inputs } of due) {
    try {
      const response = planResponse(publication, inputs, scope, planning);
      const named = namedTiles(publication, snapshot, planning.known, response.version);
      responses.push(response);
      for (const put of named.puts) {
        if (!plannedTiles.has(put.key)) puts.push(put);
        plannedTiles.add(put.key);
      }
      if (named.set !== undefined) tileSets.push(named.set);
      const after = named.puts.map(({ key }) => key);
      if (response.put !== undefined) puts.push({ ...response.put, after: [...response.put.after, ...after] });
    } catch (error) {
      if (error instanceof Failure && error.code === "clock_behind") throw error;
      // A failure with a code, such as activity_behind, says nothing about the view's values.
      const unavailable = error instanceof Failure ? undefined : withoutView(publication, inputs, scope, planning);
      if (unavailable === undefined)
        failed.push({ publication, inputs, error: error === refused.chain ? undefined : error });
      else {
        responses.push({ ...unavailable, failure: error });
        if (unavailable.put !== undefined) puts.push(unavailable.put);
      }
    }
  }
  return { ...EMPTY_PLAN, responses, failed, waits, puts, tileSets };
}

function inputsOf(publication: Publication, snapshot: Snapshot): Inputs {
  const throttledInputs = publication.timing?.throttledInputs?.(snapshot) ?? "";
  return { inputs: publication.inputs(snapshot), throttledInputs };
}

/** True if the response is computed from facts of the ledger. */
function hasFacts({ sources: { kinds = [] } = {} }: Publication): boolean {
  return kinds.length > 0;
}

/** Returns when the response may be built (epoch ms). A missing constant does not wait, because other responses need it. */
function buildableAt(publication: Publication, inputs: Inputs, { known, due, at }: Planning): number | undefined {
  const object = known.objects.get(publication.key);
  if (publication.sources === undefined && object?.condition !== "stored") return at;
  return due.buildableAt(publication, inputs, at, object?.putAt ?? 0);
}

function lookupsOf(publication: Publication, { known }: Planning): Lookup[] {
  const { key, publishedBody, tileSet } = publication;
  const object = known.objects.get(key);
  const lacksBody =
    object?.condition === "stored" && publishedBody !== undefined && known.objects.object(key) === undefined;
  if (object === undefined || lacksBody) return [{ is: "object", key }];
  const lookups: Lookup[] = [];
  if (tileSet !== undefined && known.listings.names(tileSet.prefix) === undefined) {
    lookups.push({ is: "listing", prefix: tileSet.prefix });
  }
  return lookups;
}

/** A response's object, and its body if later builds need parts of it. */
interface Stored {
  readonly object: KnownObject;
  readonly body: string | undefined;
}

function planResponse(publication: Publication, inputs: Inputs, scope: Scope, planning: Planning): PlannedResponse {
  const started = performance.now();
  const { known, force, at } = planning;
  const { key } = publication;
  const object = known.objects.get(key);
  if (object === undefined) throw new TypeError(`${key} was not looked up`);
  // Another clock may have published as of a later instant, and time must not go back.
  const instant = force ? at : Math.max(at, object.sourceVersion.at);
  const stored = { object, body: publication.publishedBody && known.objects.body(key) };
  const permitted = permittedSources(publication, stored, scope, at);
  const decision = decide((when) => buildOf(publication, permitted.snapshot, when), object, instant, {
    force,
    whyOthers: permitted.whyOthers,
    isNewer: isNewerProgram(object.sourceVersion.program, publication.sources?.program),
    isChainUndecided: permitted.isChainUndecided,
  });
  const version = { ...permitted.version, at: instant };
  const place: Place = {
    key,
    resource: publication.resource,
    phase: publication.sources === undefined ? "constants" : "responses",
    before: object,
    sourceVersion: version,
    keepsBody: publication.publishedBody !== undefined,
  };
  return {
    publication,
    inputs,
    version,
    put: decision.put ? responsePut(decision, place) : undefined,
    lostHistory: decision.put ? lostHistory(publication, stored, decision.future.built.body, version.chain) : undefined,
    why: decision.why,
    isProvisional: decision.isProvisional,
    dueAt: earlier(decision.dueAt, publication.timing?.rebuildAt?.(scope.snapshot, at)),
    milliseconds: performance.now() - started,
  };
}

/**
 * A view of the chain whose values do not make a response is unavailable, unless a good response is stored and still valid
 * (docs/spec/chain.md#forms 4). Otherwise an older reason would stay for ever.
 */
function withoutView(
  publication: Publication,
  inputs: Inputs,
  { snapshot, now, ...scope }: Scope,
  planning: Planning,
): PlannedResponse | undefined {
  const object = planning.known.objects.get(publication.key);
  const isValid = object?.condition === "stored" && (object.states[1]?.from ?? 0) > planning.at;
  const { chain } = snapshot;
  if (publication.sources?.isChainView !== true || isValid || chain.core.status === "unavailable") return undefined;
  const none = { status: "unavailable", reason: "indexer_unavailable" } as const;
  const { safeBlock: _, safeHash: __, ...binding } = now.chain;
  const unavailable = {
    ...scope,
    snapshot: {
      ...snapshot,
      faults: new Map(),
      chain: { ...chain, core: none, economy: chain.economy.status === "unavailable" ? chain.economy : none },
    },
    now: { ...now, chain: binding },
  };
  try {
    return planResponse(publication, inputs, unavailable, planning);
  } catch {
    // The first exception is reported.
    return undefined;
  }
}

/** Returns stored settlement history that a put replaces by none, or by history of another deployment. */
function lostHistory(
  { publishedBody }: Publication,
  { object, body: before }: Stored,
  body: string,
  chain: string | undefined,
): PlannedResponse["lostHistory"] {
  const published = object.sourceVersion.chain;
  if (publishedBody?.hasHistory === undefined || published === undefined || before === undefined) return undefined;
  if (!publishedBody.hasHistory(before) || (publishedBody.hasHistory(body) && chain === published)) return undefined;
  return { chain: published, body: before };
}

/** A constant has no source that could go back. */
const CONSTANT: Sources = { installationId: null };

interface PermittedSources {
  /** It has the published chain state if the chain is behind it. */
  readonly snapshot: Snapshot;
  readonly version: SourceVersion;
  /** Why the stored object does not belong to this installation and its log; undefined if it does. */
  readonly whyOthers: string | undefined;
  /** The chain is read for the first time. */
  readonly isChainUndecided: boolean;
}

/** Throws the `Failure` of a refused chain if nothing of it was published, and clock_behind. */
function permittedSources(publication: Publication, stored: Stored, scope: Scope, at: number): PermittedSources {
  const { now, refused } = scope;
  const { object } = stored;
  const snapshot = withPublishedHistory(publication, stored, scope);
  const { sources = CONSTANT } = publication;
  const { installationId = snapshot.installationId, usesChain = false } = sources;
  const published = object.sourceVersion;
  const current = versionFor(sources, now);
  if (isAhead(published.at, at)) throw clockBehind(object.key, published.at, at);
  const isChainUndecided = usesChain && snapshot.chain.isUndecided;
  if (installationId === null) return { snapshot, version: current, isChainUndecided, whyOthers: undefined };
  const whyOthers = isNew(object) ? undefined : whyOthersOf(published, scope);
  const permitted = {
    snapshot,
    version: current,
    whyOthers,
    isChainUndecided: isChainUndecided && whyOthers === undefined,
  };
  return usesChain ? permittedChain(publication, stored, permitted, refused.chain) : permitted;
}

/** A new log and a corrected installation id leave objects of others. Other facts in this log are damage. */
function whyOthersOf(published: SourceVersion, { now, snapshot }: Scope): string | undefined {
  const { of, log } = now.subject;
  const isSubject = isVersionOf(published, of);
  if (isSubject && isOfLog(published, log, snapshot.ledger)) return undefined;
  return isSubject && published.log === log ? WAS_DAMAGED : "of another installation or another log";
}

/** Adds the history that is stored. If a put has taken it out of the store, it was saved. */
function withPublishedHistory(
  { key, publishedBody }: Publication,
  { object, body }: Stored,
  { snapshot, now }: Scope,
): Snapshot {
  const { chain } = now.chain;
  if (publishedBody?.hasHistory === undefined || chain === undefined) return snapshot;
  const isStored = body !== undefined && object.sourceVersion.chain === chain && publishedBody.hasHistory(body);
  return { ...snapshot, publishedHistory: isStored ? body : savedHistory(snapshot.projections, key, chain) };
}

/**
 * Returns `permitted` with a chain state that continues the published one, or with the published one itself. Throws
 * `refused`.
 */
function permittedChain(
  { publishedBody }: Publication,
  { object, body }: Stored,
  permitted: PermittedSources,
  refused: Failure | undefined,
): PermittedSources {
  const published = object.sourceVersion;
  const { snapshot, version, whyOthers, isChainUndecided } = permitted;
  const { chain } = snapshot;
  // Process shows the Core state, also while there is no view.
  const core = publishedBody?.core === undefined ? undefined : chain.safeCore;
  const isOtherChain =
    published.chain !== undefined && version.chain !== undefined && published.chain !== version.chain;
  if (published.safeBlock === undefined || whyOthers !== undefined || (isOtherChain && core !== undefined)) {
    if (refused !== undefined) throw refused;
    return core === undefined ? permitted : { ...permitted, version: withChainOf(versionOfCore(chain), version) };
  }
  const hasView = version.safeBlock !== undefined;
  if (hasView && refused === undefined) return permitted;
  const kept = { ...permitted, version: withChainOf(published, version) };
  const isCoreUnproven = core !== undefined && !isCoreOf(published, chain);
  if (refused !== undefined || isCoreUnproven || (isChainUndecided && chain.safeCore === undefined)) {
    const safeCore = body === undefined ? undefined : publishedBody?.core?.(body);
    if (safeCore !== undefined && snapshot.genesisTimestamp !== undefined) {
      return { ...kept, snapshot: { ...snapshot, chain: { ...chain, safeCore } }, isChainUndecided: false };
    }
  }
  if (refused !== undefined) throw refused;
  return isCoreUnproven ? { ...kept, snapshot: { ...snapshot, chain: { ...chain, safeCore: undefined } } } : kept;
}

/** Keeps the published block in the version of a response that has no current chain view. */
function withChainOf({ safeBlock, safeHash, chain }: SourceVersion, now: SourceVersion): SourceVersion {
  return { ...now, ...(safeBlock && { safeBlock }), ...(safeHash && { safeHash }), ...(chain && { chain }) };
}

function versionOfCore({ safeCoreBlock }: Snapshot["chain"]): SourceVersion {
  if (safeCoreBlock === undefined) return { at: 0 };
  return { at: 0, safeBlock: String(safeCoreBlock.number), safeHash: safeCoreBlock.hash };
}

/**
 * True if the Core state in the chain's file is that of the published block. While no node responds, another block cannot be
 * trusted: it may be older or of another fork.
 */
function isCoreOf(published: SourceVersion, chain: Snapshot["chain"]): boolean {
  const { safeBlock, safeHash } = versionOfCore(chain);
  return published.safeBlock === safeBlock && (published.safeHash === undefined || published.safeHash === safeHash);
}

/** Returns the source version of a response, with the parts from which it is computed. */
function versionFor(
  { installationId, kinds = [], usesChain = false, program }: Sources,
  { built, subject, facts, newest, chain }: CurrentSources,
): SourceVersion {
  const written = program === undefined ? built : { ...built, program };
  if (installationId === null || (kinds.length === 0 && !usesChain)) return written;
  return {
    ...written,
    ...subject,
    ...(kinds.length === 0 ? {} : facts),
    ...(kinds.includes("receipt") ? newest : {}),
    ...(usesChain ? chain : {}),
  };
}

/** True if `one` is a later program version (semver) than `other`; false if either is unknown. */
export function isNewerProgram(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
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
