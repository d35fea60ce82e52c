/**
 * The parts that both settlement routes share (docs/spec/api.md#settlements-source). A response is a live body, that
 * body as saved history, or only a reason. Its tag is a hash of the body without generatedAt, the source and the
 * reason.
 */
import type * as z from "zod";
import type { ChainBinding, ChainState, ChainUnavailable, CoreView } from "../../chain/chain-state.ts";
import { FALLBACK_REASON_HEADER, REVALIDATE, SOURCE_HEADER } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import { lastSettlementBefore } from "../../projections/settlements/settlements.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { fieldsOf } from "../../values/unknown.ts";
import { type Built, revisionOf } from "../built.ts";
import { chainPointOf } from "../fields.ts";
import { readHistory, type SettlementHistory, windowOf } from "./history.ts";
import type { SettlementRange } from "./route.ts";

/** A view stays valid for this long after its window ends (docs/spec/publishing.md#chain-validity). */
const WINDOW_GRACE_MS = 60_000;

export interface SettlementSources {
  readonly installationId: string;
  readonly chain: ChainState;
  /** The settlement tables must have reached the view's safe block. */
  readonly projections: ReadOnlyDatabase;
  readonly publishedHistory?: string | undefined;
}

/** The shared parts of a live body. It is valid until `until` (epoch ms). */
export interface LiveHistory {
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly chain: Readonly<Record<string, string>>;
  readonly history: SettlementHistory;
  readonly until: number;
}

/** Reads live history. Throws if the batches do not lead to the Core's state: no contradiction is published. */
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
    history: readHistory(sources.projections, window),
    until: Math.min(
      sources.chain.validUntil,
      window === undefined ? Number.POSITIVE_INFINITY : window.end + WINDOW_GRACE_MS,
    ),
  };
}

/** Returns the reason why there is no live read at an instant; `undefined` if there is one. */
export function whyNotLive(
  chain: ChainState,
  view: ChainState["core"] | ChainState["economy"],
  at: number,
): ChainUnavailable | undefined {
  if (view.status === "unavailable") return view.reason;
  return at >= chain.validUntil ? "indexer_unavailable" : undefined;
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

type Body = Readonly<Record<string, unknown>>;
type Source = "live" | "durable-cache" | "unavailable";

/**
 * Returns the live response. `body` has passed its schema. At `until` (epoch ms) it becomes saved history without the
 * queue projection, because no newer pass has confirmed it.
 */
export function renderLive(body: Body, until: number): Built {
  const live = textsOf(body);
  const saved = "queueProjection" in body ? textsOf(withoutQueue(body)) : live;
  return {
    ...rendered(live, "live"),
    nextChangeAt: until,
    successor: rendered(saved, "durable-cache", "indexer_unavailable"),
  };
}

/** Returns the part of a live or published body that is saved. */
function withoutQueue(body: Body): Body {
  const { queueProjection: _, ...saved } = body;
  return saved;
}

/** Returns saved history as a response; `undefined` if it does not pass the schema. */
function renderDurable(saved: string, schema: z.ZodType, reason: ChainUnavailable): Built | undefined {
  const parsed = schema.safeParse(parseJson(saved));
  if (!parsed.success) return undefined;
  const body = parsed.data as Body;
  return body.status === "available" ? rendered(textsOf(body), "durable-cache", reason) : undefined;
}

export interface SavedVersion {
  readonly schemaVersion: 3 | 4;
  readonly range: SettlementRange;
  readonly schema: z.ZodType;
}

/** Returns the response without a live read: saved history of the configured source if there is any, else the reason. */
export function renderSaved(
  { schemaVersion, range, schema }: SavedVersion,
  { installationId, chain: { binding }, publishedHistory }: SettlementSources,
  reason: ChainUnavailable,
): Built {
  if (binding !== undefined && publishedHistory !== undefined && reason !== "indexer_disabled") {
    const form = savedForm(publishedHistory, installationId, binding, schemaVersion);
    const durable = form === undefined ? undefined : renderDurable(form, schema, reason);
    if (durable !== undefined) return durable;
  }
  const body = schema.parse({ schemaVersion, installationId, status: "unavailable", range, reason }) as Body;
  return rendered(textsOf(body), "unavailable");
}

/** Returns the body, and the body without generatedAt. */
function textsOf(body: Body): { readonly body: string; readonly fingerprintText: string } {
  const { generatedAt: _, ...undated } = body;
  return { body: JSON.stringify(body), fingerprintText: JSON.stringify(undated) };
}

function rendered(
  { body, fingerprintText }: ReturnType<typeof textsOf>,
  source: Source,
  reason?: ChainUnavailable,
): Built {
  return {
    status: 200,
    headers: {
      "cache-control": REVALIDATE,
      etag: etagOf(revisionOf(JSON.stringify([source, reason ?? null, fingerprintText]))),
      [SOURCE_HEADER]: source,
      ...(reason === undefined ? {} : { [FALLBACK_REASON_HEADER]: reason }),
    },
    body,
    fingerprintText,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if a published body has history. */
export function isAvailable(body: string): boolean {
  return JSON.parse(body).status === "available";
}

/**
 * Returns the saved form of a published body (docs/spec/api.md#settlements-source): available history of the bound
 * source, without the queue projection. `undefined` if the response is unavailable or from another source.
 */
function savedForm(
  published: string,
  installationId: string,
  binding: ChainBinding,
  schemaVersion: 3 | 4,
): string | undefined {
  const body = fieldsOf(JSON.parse(published));
  if (body.status !== "available" || body.installationId !== installationId) return undefined;
  const economy = body.economy as Record<string, unknown> | undefined;
  const isSameSource = schemaVersion === 3 || economy?.releaseId === binding.releaseId;
  return isSameSource ? JSON.stringify(withoutQueue(body)) : undefined;
}
