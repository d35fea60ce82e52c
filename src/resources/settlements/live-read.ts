/** The inputs of a live v4 and v3, and their binding if there are none (docs/spec/api.md#settlements). */

import type { ChainBinding, ChainState, ChainUnavailable, CoreView } from "../../chain/chain-state.ts";
import { lastSettlementBefore, onceASettlement } from "../../projections/settlements/settlements.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { chainPointOf } from "../chain-fields.ts";
import { readHistory, type SettlementHistory } from "./history/history.ts";
import type { SettlementRange } from "./route.ts";
import { windowOf } from "./window.ts";

/** A view of a window is valid for so long after the window's end (docs/spec/publishing.md#chain-validity), ms. */
const WINDOW_GRACE_MS = 60_000;

export interface SettlementSources {
  readonly installationId: string;
  readonly chain: ChainState;
  /** With the settlements' tables advanced to the view's safe block. */
  readonly projections: ReadOnlyDatabase;
}

/** The parts of a body that both versions have, and until when it is valid (epoch ms). */
export interface LiveHistory {
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly chain: Readonly<Record<string, string>>;
  readonly history: SettlementHistory;
  readonly until: number;
}

/** Throws where the batches do not lead to the Core's state: what does not reconcile is not published. */
export function readLive(sources: SettlementSources, core: CoreView, range: SettlementRange, at: number): LiveHistory {
  const window = windowOf(range, at);
  requireFrontier(sources.projections, core);
  return {
    envelope: {
      installationId: sources.installationId,
      status: "available",
      range,
      generatedAt: formatTimestamp(at),
    },
    chain: chainPointOf(core.chain),
    // Both versions, and the queue projection's response, have the same windows.
    history: onceASettlement(sources.projections, `history ${range} ${window?.start}`, () =>
      readHistory(sources.projections, window),
    ),
    until: Math.min(
      sources.chain.validUntil,
      window === undefined ? Number.POSITIVE_INFINITY : window.end + WINDOW_GRACE_MS,
    ),
  };
}

/** Why there is no live read at an instant, `undefined` where there is one. */
export function whyNotLive(
  chain: ChainState,
  view: ChainState["core"] | ChainState["economy"],
  at: number,
): ChainUnavailable | undefined {
  if (view.status === "unavailable") return view.reason;
  return at >= chain.validUntil ? "indexer_unavailable" : undefined;
}

/** The binding of saved history (docs/spec/api.md#settlements); v3 without the economy's release. */
export function bindingText(
  installationId: string,
  range: SettlementRange,
  binding: ChainBinding,
  version: "v3" | "v4",
): string {
  const { chainId, core, deploymentBlock, releaseId } = binding;
  const release = version === "v4" ? [releaseId ?? null] : [];
  return JSON.stringify([installationId, range, String(chainId), core, String(deploymentBlock), ...release]);
}

function requireFrontier(projections: ReadOnlyDatabase, { core }: CoreView): void {
  const last = lastSettlementBefore(projections, Number.MAX_SAFE_INTEGER);
  const reached =
    (last?.settledRound ?? 0n) === core.settledThroughRound &&
    (last?.cumulativeWork ?? 0n) === core.cumulativeWork &&
    (last?.blockHeight ?? 0n) === core.blockHeight;
  if (!reached) {
    throw new Error(
      `the settlements lead to round ${last?.settledRound ?? 0n}, the Core is at ${core.settledThroughRound}`,
    );
  }
}
