/** Plans the index of installations (docs/spec/publishing.md#index). */
import { encodeIndex, FIRST_LOG } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { logLookups, type Responses, storedIn } from "./check.ts";
import { decide, responsePut } from "./decide.ts";
import { EMPTY_PLAN, needs, type Plan, type Planning } from "./plan.ts";

export interface IndexPlanning extends Planning, Responses {
  /** The index is put at once, whatever the minimum put interval, because nothing may be stored before it. */
  readonly indexGoesFirst: boolean;
  /** The installations of the ledger that this prefix may hold. */
  ofLedger(): readonly { readonly id: string }[];
}

export function planIndex(planning: IndexPlanning): Plan {
  const { known, due, configured, force, at, indexGoesFirst } = planning;
  const lookups = logLookups(known);
  if (lookups.length > 0) return needs(lookups);
  const { log = FIRST_LOG } = known;
  const index = known.objects.index;
  const object = known.objects.get(INSTALLATIONS_KEY);
  if (index === undefined || object === undefined) return needs([{ is: "index" }]);
  const isNewLog = index !== "lost" && index.log !== log;
  // With `force`, the index lists everything that is stored: an older one may have come back.
  const isComplete = index === "lost" || isNewLog || force;
  if (isComplete && known.publishedInstallations === undefined) return needs([{ is: "installations" }]);
  const isChange = index === "lost" || index.configured !== configured || isNewLog;
  if (!isChange && !force && known.unlisted.size === 0) return EMPTY_PLAN;
  // Installations of an abandoned log are not listed, unless they are in the new one, too.
  const installations = new Set(index === "lost" || isNewLog ? [] : index.installations);
  // A mistyped id has no facts. An installation of the ledger is listed again once it is published under its own key.
  if (index !== "lost" && index.configured !== configured) installations.delete(index.configured);
  const stored = isComplete ? storedIn(log, known) : [];
  // An installation that the index lacks is offline for its readers. So a new index, and the first index of a new log, list every installation of the ledger.
  const accepted = isNewLog || index === "lost" ? planning.ofLedger() : [];
  for (const id of [...stored, ...known.unlisted, ...accepted.map((one) => one.id)]) installations.add(id);
  const text = encodeIndex({ configured, log, installations });
  const build = () => ({ status: 200, headers: {}, body: text, stableText: text });
  const decision = decide(build, object, at, { force });
  if (!decision.put) return EMPTY_PLAN;
  const until = object.putAt + due.minimumPutInterval;
  if (!force && !indexGoesFirst && until > at) return { ...EMPTY_PLAN, waits: [[INSTALLATIONS_KEY, until]] };
  const place = { key: INSTALLATIONS_KEY, resource: "observations", phase: "index", before: object } as const;
  return { ...EMPTY_PLAN, puts: [responsePut(decision, { ...place, sourceVersion: { at }, keepsBody: true })] };
}
