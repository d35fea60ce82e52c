/** Plans the index of installations (docs/spec/publishing.md#index): installation → history. */
import { encodeIndex, type HistoryNames } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { decide, responsePut } from "./decide.ts";
import { higherHistory, type Responses, storedIndex } from "./histories.ts";
import { NOTHING, needs, type Plan, type Planning } from "./plan.ts";

export interface IndexPlanning extends Planning, Responses {
  /** The index is put at once, whatever the minimum put interval, because nothing may be stored before it. */
  readonly mustNameFirst: boolean;
}

export function planIndex(planning: IndexPlanning): Plan {
  const { known, due, configured, force, at, mustNameFirst } = planning;
  const index = storedIndex(known);
  const object = known.get(INSTALLATIONS_KEY);
  if (index === undefined || object === undefined) return needs([{ is: "index" }]);
  // With `force`, the index names everything that is stored: an older one may have come back.
  const isListed = index === "lost" || force;
  if (isListed && known.publishedInstallations === undefined) return needs([{ is: "installations" }]);
  const isChange = index === "lost" || index.configured !== configured;
  if (!isChange && !force && known.unnamed.size === 0) return NOTHING;
  const histories = new Map(index === "lost" ? [] : index.histories);
  // A mistyped id has no facts. An installation of the ledger is named again once it is published under its own key.
  if (index !== "lost" && isChange) histories.delete(index.configured);
  if (isListed) name(known.publishedInstallations ?? new Map(), histories);
  name(known.unnamed, histories);
  const text = encodeIndex({ configured, histories });
  const build = () => ({ status: 200, headers: {}, body: text, lasting: text });
  const decision = decide(build, object, at, { force });
  if (!decision.put) return NOTHING;
  const until = object.putAt + due.minimumPutInterval;
  if (!force && !mustNameFirst && until > at) return { ...NOTHING, waits: [[INSTALLATIONS_KEY, until]] };
  const place = { key: INSTALLATIONS_KEY, resource: "observations", phase: "index", before: object } as const;
  return { ...NOTHING, puts: [responsePut(decision, { ...place, sourceVersion: { at }, keepsBody: true })] };
}

function name(names: HistoryNames, histories: Map<string, string>): void {
  for (const [id, history] of names) histories.set(id, higherHistory(histories.get(id), history) ?? history);
}
