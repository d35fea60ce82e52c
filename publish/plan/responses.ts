/** Plans the responses of one installation: builds those that are due, and compares them with what is published. */
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";
import { earlier, type Inputs } from "../due.ts";
import { decide, type Place, responsePut } from "./decide.ts";
import { permittedSources, type Scope } from "./permitted-sources.ts";
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
import { isNewerProgram } from "./source-version.ts";
import { namedTiles } from "./tile-sets.ts";

/** Builds the responses that are due, but none from a refused ledger. Throws `Failure` clock_behind. */
export function planResponses(publications: readonly Publication[], scope: Scope, planning: Planning): Plan {
  const { snapshot, refused } = scope;
  const due: { readonly publication: Publication; readonly inputs: Inputs }[] = [];
  const lookups: Lookup[] = [];
  const waits: [string, number][] = [];
  const failed: Plan["failed"][number][] = [];
  for (const publication of publications) {
    if (!planning.selected(publication.resource)) continue;
    let inputs: Inputs | undefined;
    try {
      inputs = inputsOf(publication, snapshot);
      const until = buildableAt(publication, inputs, planning);
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
  for (const { publication, inputs } of due) {
    try {
      const response = planResponse(publication, inputs, scope, planning);
      responses.push(response);
      const named = namedTiles(publication, snapshot, planning.known, response.version);
      puts.push(...named.puts);
      if (named.set !== undefined) tileSets.push(named.set);
      const after = named.puts.map(({ key }) => key);
      if (response.put !== undefined) puts.push({ ...response.put, after: [...response.put.after, ...after] });
    } catch (error) {
      if (error instanceof Failure && error.code === "clock_behind") throw error;
      failed.push({ publication, inputs, error: error === refused.chain ? undefined : error });
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
  const object = known.get(publication.key);
  if (publication.sources === undefined && object?.condition !== "stored") return at;
  return due.buildableAt(publication, inputs, at, object?.putAt ?? 0);
}

function lookupsOf(publication: Publication, { known }: Planning): Lookup[] {
  const { key, publishedBody, tileSet } = publication;
  const object = known.get(key);
  const lacksBody = object?.condition === "stored" && publishedBody !== undefined && known.body(key) === undefined;
  if (object === undefined || lacksBody) return [{ is: "object", key }];
  const lookups: Lookup[] = [];
  if (tileSet !== undefined && known.listing(tileSet.prefix) === undefined) {
    lookups.push({ is: "listing", prefix: tileSet.prefix });
  }
  return lookups;
}

function planResponse(publication: Publication, inputs: Inputs, scope: Scope, planning: Planning): PlannedResponse {
  const started = performance.now();
  const { known, force, at } = planning;
  const { key } = publication;
  const object = known.get(key);
  if (object === undefined) throw new TypeError(`${key} was not looked up`);
  // Another clock may have published as of a later instant, and time must not go back.
  const instant = force ? at : Math.max(at, object.sourceVersion.at);
  const permitted = permittedSources(publication, object, scope, planning);
  const decision = decide((when) => publication.build(permitted.snapshot, when), object, instant, {
    force,
    whyOthers: permitted.whyOthers,
    isNewer: isNewerProgram(object.sourceVersion.program, publication.sources?.program),
    isSettling: permitted.isSettling,
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
    lostHistory: decision.put ? lostHistory(publication, decision.future.built.body, version, planning) : undefined,
    why: decision.why,
    isPlaceholder: decision.isPlaceholder,
    dueAt: earlier(decision.dueAt, publication.timing?.rebuildAt?.(scope.snapshot, at)),
    milliseconds: performance.now() - started,
  };
}

/** Returns stored settlement history that a put replaces by none, or by history of another deployment. */
function lostHistory(
  { key, publishedBody }: Publication,
  body: string,
  { chain }: SourceVersion,
  { known }: Planning,
): PlannedResponse["lostHistory"] {
  const published = known.get(key)?.sourceVersion.chain;
  const before = known.body(key);
  if (publishedBody?.hasHistory === undefined || published === undefined || before === undefined) return undefined;
  if (!publishedBody.hasHistory(before) || (publishedBody.hasHistory(body) && chain === published)) return undefined;
  return { chain: published, body: before };
}
