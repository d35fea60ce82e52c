/** What a publisher keeps from cycle to cycle beside what it knows of the store, and how a new history begins. */
import type { Publication } from "../src/resources/publication.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/keys.ts";
import type { MovedInstallations } from "./due/moved-installations.ts";
import type { Known } from "./known.ts";
import { type Learning, learn } from "./learn.ts";
import { Pace } from "./pace.ts";
import {
  FIRST_HISTORY,
  higherHistory,
  historyOf,
  type IndexPlanning,
  isNamedIn,
  namedInIndex,
} from "./plan/installations.ts";
import type { Unknown } from "./plan/plan.ts";
import { Regressions } from "./regressions.ts";

export interface Session extends Omit<IndexPlanning, "at" | "mustNameFirst"> {
  readonly moved: MovedInstallations;
  /** What is behind what was published, for as long as it is. */
  readonly regressions: Regressions;
  readonly savedAsked: Set<string>;
  readonly rechecked: Set<string>;
  /** Since when (epoch ms) each doubted object is read again. */
  readonly doubtedSince: Map<string, number>;
  /** Something is published beside the API. */
  readonly hasSite: boolean;
  /** The operator has begun new histories, and the store does not name them yet. */
  mustNameFirst: boolean;
}

export interface SessionOptions {
  readonly known: Known;
  readonly reader: { readonly installationId: string };
  readonly publications: readonly Publication[];
  readonly force: boolean;
  readonly minimumPutInterval: number;
  readonly site?: unknown;
  selected(resource: ResourceName): boolean;
}

export function newSession(options: SessionOptions, moved: MovedInstallations): Session {
  const { known, reader, publications, force, minimumPutInterval, site } = options;
  return {
    known,
    configured: reader.installationId,
    publications,
    force,
    moved,
    pace: new Pace(minimumPutInterval),
    names: new Map(),
    regressions: new Regressions(),
    savedAsked: new Set(),
    rechecked: new Set(),
    doubtedSince: new Map(),
    hasSite: site !== undefined,
    mustNameFirst: false,
    selected: (resource) => options.selected(resource),
  };
}

/** Leaves the published history of an installation behind, on the operator's word: the next one begins from nothing. */
export async function startHistory(id: string, session: Session, learning: Learning): Promise<void> {
  for (;;) {
    const { history, isPublished, unknown } = historyOf(id, session.configured, session);
    if (unknown.length > 0) {
      await learn(unknown, learning);
      continue;
    }
    const next = isPublished ? String(Number(history) + 1) : history;
    session.names.set(id, next);
    session.known.rememberProgress(id, { history: next, position: 0, tag: null, telemetryId: null });
    session.mustNameFirst ||= isPublished;
    return;
  }
}

/** An index or a shard that was read may be an older one: whoever it no longer names is named again. */
export function reconcileNames(unknown: readonly Unknown[], { known, names }: Session): void {
  const keys = unknown.flatMap((one) => (one.is === "index" || one.is === "shard" ? [one.key] : []));
  if (keys.length === 0) return;
  for (const { key, asof } of known.all()) {
    const id = parseInstallationTelemetryKey(key);
    if (id === undefined || !keys.some((part) => isNamedIn(known, part, id))) continue;
    const named = namedInIndex(known, id);
    if (named.unknown !== undefined || named.isLost) continue;
    const history = higherHistory(asof.history ?? FIRST_HISTORY, known.progressFloor(id)?.history) ?? FIRST_HISTORY;
    if (higherHistory(named.history, history) !== named.history) names.set(id, history);
  }
}
