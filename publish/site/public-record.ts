/**
 * What the publisher tells everybody of itself (docs/spec/people.md#status-json), inside the lease object: of the
 * configured installation and the two sources, and nothing of the operator's.
 */
import type { ChainState } from "../../src/chain/chain-state.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import { ACTIVITY_PATH, activityKey, CATEGORIES } from "../../src/resources/activity/keys.ts";
import type { PublicAnswer, PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import type { Snapshot, Snapshots } from "../../src/resources/snapshot.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Known } from "../known.ts";
import type { CycleReport } from "../report.ts";

type Sources = PublicRecord["sources"];

/** What `/status.json` says besides what was published. */
export interface PublishedSite {
  readonly explorerUrl: string | undefined;
  /** How long a chain view is valid after a good pass, ms. */
  readonly chainValidity: number;
}

/** The objects of the configured installation by the URL that they answer. */
export const ANSWERS: readonly (readonly [url: string, key: string])[] = [
  ...ROUTES.flatMap(({ path, objects }) =>
    objects.map(({ query, key }) => [query === "" ? path : `${path}?${query}`, key] as const),
  ),
  ...CATEGORIES.map((category) => [`${ACTIVITY_PATH}?category=${category}`, activityKey(category)] as const),
];

/** Those that were published; `now` in epoch ms. */
export function publicAnswers(known: Known, now: number): Record<string, PublicAnswer> {
  const found = ANSWERS.flatMap(([url, key]): [string, PublicAnswer][] => {
    const object = known.get(key);
    if (object?.condition !== "stored") return [];
    const next = object.states.find(({ from }, index) => index > 0 && from > now)?.from;
    const nextChangeAt = next === undefined ? null : formatTimestamp(next);
    return [[url, { asOf: formatTimestamp(object.asof.at), status: object.status, nextChangeAt }]];
  });
  return Object.fromEntries(found);
}

/** What a publisher is, before its first cycle: `answers` is what the last one of this installation has published. */
export function openingRecord(
  sources: Snapshots,
  { explorerUrl, chainValidity }: PublishedSite,
): (before: PublicRecord | null) => PublicRecord {
  return (before) =>
    sources.snapshot((snapshot) => ({
      installationId: snapshot.installationId,
      answers: before?.installationId === snapshot.installationId ? before.answers : {},
      sources: sourcesOf(snapshot, { failures: [] }, chainValidity),
      explorer: explorerUrl ?? null,
    }));
}

/** As a cycle has seen them. `chainValidity`: how long a chain view is valid after a good pass, ms. */
export function sourcesOf(
  snapshot: Snapshot,
  { failures }: Pick<CycleReport, "failures">,
  chainValidity: number,
): Sources {
  const { ledger, installationId, chain } = snapshot;
  const no = ledger && installationNo(ledger, installationId);
  const newest = ledger === undefined || no === undefined ? undefined : readNewestReceipt(ledger, no);
  const isBehind = failures.some(({ code }) => code === "ledger_behind" || code === "ledger_forked");
  return {
    ledger: {
      status: ledger === undefined ? "none" : isBehind ? "behind" : "followed",
      newestReceiptAt: newest === undefined ? null : formatTimestamp(newest.receivedAt),
    },
    chain: chainOf(chain, chainValidity),
  };
}

/** A ledger that could not be read: the rest as it was seen last. */
export function withUnreadableLedger(sources: Sources): Sources {
  return { ...sources, ledger: { ...sources.ledger, status: "unreadable" } };
}

export const NOTHING_SEEN: Sources = {
  ledger: { status: "unreadable", newestReceiptAt: null },
  chain: { status: "silent", indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null },
};

const CHAIN_STATUS = {
  indexer_disabled: "disabled",
  indexer_mismatch: "mismatch",
  indexer_unavailable: "silent",
  not_yet_safe: "behind",
} as const;

function chainOf({ core, validUntil }: ChainState, chainValidity: number): Sources["chain"] {
  if (core.status === "unavailable") {
    const status = CHAIN_STATUS[core.reason];
    return { status, indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null };
  }
  const { indexedThroughBlock, safeThroughBlock } = core.view.chain;
  return {
    status: "followed",
    indexedThroughBlock: String(indexedThroughBlock),
    safeThroughBlock: String(safeThroughBlock),
    lastGoodPassAt: formatTimestamp(validUntil - chainValidity),
  };
}
