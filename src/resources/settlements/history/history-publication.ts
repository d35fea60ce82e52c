/**
 * The parts of publishing that both versions of settlements share (docs/spec/api.md#settlements). A live body is saved
 * with its binding, and is served when the chain cannot be read.
 */

import { savedHistory, saveHistory } from "../../../projections/settlements/saved-history.ts";
import { settlementChanges } from "../../../projections/settlements/settlements.ts";
import { chainNews, HISTORY_HEIGHT_INTERVAL, heightTiming } from "../../inputs.ts";
import type { Publication, SavedHistory } from "../../publication.ts";
import type { Snapshot } from "../../snapshot.ts";
import { bindingText, savedForm } from "../answer.ts";
import { windowOf } from "../history.ts";
import type { SettlementRange } from "../route.ts";

export interface HistoryObject {
  readonly key: string;
  readonly range: SettlementRange;
  readonly version: "v3" | "v4";
}

export function historyPublication({ key, range, version }: HistoryObject) {
  return {
    key,
    sources: { usesChain: true },
    timing: {
      ...heightTiming(HISTORY_HEIGHT_INTERVAL),
      rebuildAt: (_: Snapshot, at: number) => windowOf(range, at)?.end,
    },
    publishedBody: { history: savedHistoryOf({ key, range, version }) },
  } satisfies Partial<Publication>;
}

function savedHistoryOf({ key, range, version }: HistoryObject): SavedHistory {
  const formOf = ({ installationId, chain: { binding } }: Snapshot, body: string) => {
    const form = binding === undefined ? undefined : savedForm(body, installationId, binding, version);
    if (binding === undefined || form === undefined) return undefined;
    return { form, bound: bindingText(installationId, range, binding, version) };
  };
  return {
    isMissing: ({ installationId, chain: { binding }, projections }) =>
      binding !== undefined &&
      savedHistory(projections, key, bindingText(installationId, range, binding, version)) === undefined,
    save(snapshot, body) {
      const saved = formOf(snapshot, body);
      if (saved !== undefined) saveHistory(snapshot.projections, key, saved.bound, saved.form);
    },
    restore(snapshot, body) {
      const saved = formOf(snapshot, body);
      if (saved === undefined) return;
      const before = savedHistory(snapshot.projections, key, saved.bound);
      if (before !== undefined && generatedAt(before) > generatedAt(saved.form)) return;
      saveHistory(snapshot.projections, key, saved.bound, saved.form);
    },
  };
}

function generatedAt(body: string): string {
  return String((JSON.parse(body) as Record<string, unknown>).generatedAt);
}

export function historyNews({ chain, projections }: Snapshot): string {
  return `${chainNews(chain)} ${settlementChanges(projections)}`;
}
