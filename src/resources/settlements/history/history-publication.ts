/**
 * The common part of both versions of the settlements: a live body is saved under its binding, and replaces a chain that
 * cannot be read (docs/spec/api.md#settlements).
 */

import { savedHistory, saveHistory } from "../../../projections/settlements/saved-history.ts";
import { settlementChanges } from "../../../projections/settlements/settlements.ts";
import { chainNews, HISTORY_HEIGHT_INTERVAL, heightTiming } from "../../inputs.ts";
import type { Publication } from "../../publication.ts";
import type { Snapshot, WritableSnapshot } from "../../snapshot.ts";
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
    publishedBody: {
      history: {
        isMissing: ({ installationId, chain: { binding }, projections }: Snapshot) =>
          binding !== undefined &&
          savedHistory(projections, key, bindingText(installationId, range, binding, version)) === undefined,
        save: ({ installationId, chain: { binding }, projections }: WritableSnapshot, body: string) => {
          const saved = binding === undefined ? undefined : savedForm(body, installationId, binding, version);
          if (saved === undefined || binding === undefined) return;
          saveHistory(projections, key, bindingText(installationId, range, binding, version), saved);
        },
      },
    },
  } satisfies Partial<Publication>;
}

export function historyNews({ chain, projections }: Snapshot): string {
  return `${chainNews(chain)} ${settlementChanges(projections)}`;
}
