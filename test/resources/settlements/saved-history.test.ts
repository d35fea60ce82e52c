import { expect, test } from "vitest";
import { fingerprintOf } from "../../../publish/plan/successors.ts";
import type { ChainState, ChainUnavailable } from "../../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { activityPublications } from "../../../src/resources/activity/publication.ts";
import type { Publication } from "../../../src/resources/publication.ts";
import { settlementsPublications } from "../../../src/resources/settlements/publication.ts";
import { legacySettlementsPublications } from "../../../src/resources/settlements-legacy/publication.ts";
import type { WritableSnapshot } from "../../../src/resources/snapshot.ts";
import { batchEvents, chainDb, projectionsDb, regularBatches, settledChain } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";

const BATCHES = regularBatches(5, 1, 3);
const ALL = [...settlementsPublications, ...legacySettlementsPublications];

function live(): WritableSnapshot {
  const chain = settledChain(BATCHES);
  const projections = projectionsDb();
  const db = chainDb(batchEvents(BATCHES));
  advanceChainViews(projections, { chain, chainDb: db });
  return {
    installationId: "wheel-1",
    ledger: undefined,
    projections,
    chain,
    chainDb: db,
    genesisTimestamp: undefined,
  };
}

/** The chain cannot be read, and its file is gone. */
function silent(sources: WritableSnapshot, reason: ChainUnavailable, publishedHistory?: string) {
  const view = { status: "unavailable", reason } as const;
  const chain = { ...sources.chain, core: view, economy: view };
  return { ...sources, chain, chainDb: undefined, publishedHistory };
}

test.each(ALL.map((publication) => [publication.key, publication] as const))(
  "%s: saved history is served while the chain cannot be read, at any later time",
  (_, publication) => {
    const sources = live();
    const built = publication.build(sources, AT);
    for (const reason of ["not_yet_safe", "indexer_mismatch", "indexer_unavailable"] as const) {
      const later = publication.build(silent(sources, reason, built.body), AT + 90 * 86_400_000);
      expect(later.body).toBe(built.successor?.body);
      expect(later.headers["x-service-settlement-source"]).toBe("durable-cache");
      expect(later.headers["x-service-settlement-fallback-reason"]).toBe(reason);
      expect(later.nextChangeAt).toBeUndefined();
    }
    const due = publication.build(silent(sources, "indexer_unavailable", built.body), AT + 700_000);
    expect(fingerprintOf(due)).toBe(built.successor === undefined ? "" : fingerprintOf(built.successor));
  },
);

test.each(ALL.map((publication) => [publication.key, publication] as const))(
  "%s: after the view's validity a build gives the successor's exact bytes",
  (_, publication) => {
    const sources = live();
    const built = publication.build(sources, AT);
    expect(publication.build({ ...sources, publishedHistory: built.body }, AT + 600_000)).toEqual(built.successor);
  },
);

test("settlements and activity are not_yet_safe below the economy's first block, even if a check of the Core fails", () => {
  const sources = live();
  const chain: ChainState = {
    ...sources.chain,
    core: { status: "unavailable", reason: "indexer_mismatch" },
    economy: { status: "unavailable", reason: "not_yet_safe" },
  };
  const reasonOf = (publication: Publication) => {
    const { body } = publication.build({ ...sources, chain }, AT);
    return [publication.key, (JSON.parse(body) as { reason?: string }).reason];
  };
  const heads = activityPublications.filter(({ key }) => !key.endsWith("/unavailable") && !key.includes("measurement"));
  for (const publication of [...settlementsPublications, ...heads]) {
    expect(reasonOf(publication)).toEqual([publication.key, "not_yet_safe"]);
  }
});

test("without saved history the response has only the reason, its source and its tag", () => {
  const responses = ALL.map((publication) => publication.build(silent(live(), "not_yet_safe"), AT));
  expect(responses.map(({ body }) => body)).toContain(
    '{"schemaVersion":4,"installationId":"wheel-1","status":"unavailable","range":"24h","reason":"not_yet_safe"}',
  );
  for (const { headers } of responses) {
    expect(headers["x-service-settlement-source"]).toBe("unavailable");
    expect(headers).not.toHaveProperty("x-service-settlement-fallback-reason");
    expect(headers.etag).toBeDefined();
  }
  // queue=1 has the same response as range=now; all others differ.
  expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(8);
});

test("history of another release, which v3 ignores, and of another installation is not served", () => {
  const sources = live();
  const elsewhere = silent(sources, "indexer_unavailable");
  const { binding } = sources.chain;
  for (const { resource, build } of ALL) {
    const publishedHistory = build(sources, AT).body;
    const other = {
      ...elsewhere,
      publishedHistory,
      chain: { ...elsewhere.chain, binding: binding && { ...binding, releaseId: "release-2" } },
    };
    const isServed = resource === "settlements-legacy";
    expect(build(other, AT).headers["x-service-settlement-source"]).toBe(isServed ? "durable-cache" : "unavailable");
    const others = { ...elsewhere, publishedHistory, installationId: "wheel-2" };
    expect(build(others, AT).headers["x-service-settlement-source"]).toBe("unavailable");
  }
});

test("without a configured source there is no saved history, and the view is indexer_disabled", () => {
  const sources = live();
  for (const { build } of ALL) {
    const disabled = silent(sources, "indexer_disabled", build(sources, AT).body);
    expect(JSON.parse(build(disabled, AT).body).reason).toBe("indexer_disabled");
  }
});

test("without an economy v4 is indexer_disabled and v3 is live", () => {
  const sources = live();
  const chain: ChainState = { ...sources.chain, economy: { status: "unavailable", reason: "indexer_disabled" } };
  const now = settlementsPublications[0]?.build({ ...sources, chain }, AT);
  expect(now?.body).toContain('"reason":"indexer_disabled"');
  const legacy = legacySettlementsPublications[0]?.build({ ...sources, chain }, AT);
  expect(legacy?.headers["x-service-settlement-source"]).toBe("live");
});

test("a published response that breaks its schema is not served", () => {
  const sources = live();
  for (const { build } of ALL) {
    const broken = build(sources, AT).body.replace('"settlementCount":"', '"settlementCount":"9');
    const response = build(silent(sources, "indexer_unavailable", broken), AT);
    expect(response.headers["x-service-settlement-source"]).toBe("unavailable");
  }
});
