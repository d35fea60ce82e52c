/** A server with correct responses gives no finding. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchesNone } from "../../src/http/request.ts";
import { jsonOf } from "../../src/verify/exchange.ts";
import { findingLines } from "../../src/verify/report.ts";
import { both, headers, status, text } from "./support/faults/plant.ts";
import { type FullWorld, fullWorld } from "./support/full-world.ts";
import { type Fault, judge, standIn } from "./support/stand-in.ts";

let full: FullWorld;
beforeAll(async () => {
  full = await fullWorld();
});
afterAll(() => full?.world.end());

test("a run over a world with all data has no finding, and skips only the files", async () => {
  const report = await judge({ send: standIn(full), now: full.at, watch: 3 });
  expect(report.findings.flatMap(findingLines)).toEqual([]);
  expect(report.skipped).toEqual([{ what: "files", why: "every file is 404: the site is turned off" }]);
  expect(report.checks).toBeGreaterThan(20_000);
});

test("telemetry that turns stale during a watch keeps its tag, and has no finding", async () => {
  const later = standIn(full, full.at + 130_000);
  const turning: Fault = (sent, next, passedMs) => (passedMs < 2_000 ? next(sent) : later(sent));
  const judging = { send: standIn(full), now: full.at, only: ["telemetry"], families: ["watch"] as const, watch: 4 };
  const seen = new Set<string>();
  const report = await judge({
    ...judging,
    fault: async (sent, next, passedMs) => {
      const reply = await turning(sent, next, passedMs);
      seen.add((jsonOf(reply) as { status: string }).status);
      return reply;
    },
  });
  expect([...seen]).toEqual(["online", "stale"]);
  expect(report.findings.flatMap(findingLines)).toEqual([]);
});

/** It caches the plain process for one second, and passes If-None-Match to an origin that has newer data. */
function behindItsOrigin(): Fault {
  let movedAtMs: number | undefined;
  return async (sent, next, passedMs) => {
    if (sent.method !== "GET" || sent.target !== "/v4/public/process") return next(sent);
    const field = sent.headers["if-none-match"];
    movedAtMs ??= field === undefined ? undefined : passedMs;
    if (field === undefined && (movedAtMs === undefined || passedMs < movedAtMs + 1_000)) return next(sent);
    const { "if-none-match": _, ...others } = sent.headers;
    const old = await next({ ...sent, headers: others });
    const { revision } = jsonOf(old) as { revision: string };
    const newer = text((whole) => whole.replace(revision, "newer"));
    const reply = both(headers({ etag: '"newer"' }), newer)(old);
    if (field === undefined || !matchesNone(field, '"newer"')) return reply;
    return both(headers({ "content-type": null, "content-length": null }), status(304), text(""))(reply);
  };
}

test("a front whose cache is behind by its edge seconds has no finding", async () => {
  const only = ["process"];
  const judging = { send: standIn(full), now: full.at, only, families: ["not-modified"] as const };
  const report = await judge({ ...judging, fault: behindItsOrigin() });
  expect(report.findings.flatMap(findingLines)).toEqual([]);
});

interface Page {
  readonly chain: { readonly safeThroughBlock: string };
  readonly events: readonly { readonly source: { readonly blockNumber?: string } }[];
}

/** The first pages of a category lack an event. With `isOlder` they are of the block before the event's. */
function lacking(category: string, index: number, isOlder: boolean): Fault {
  return async (sent, next) => {
    const reply = await next(sent);
    if (!sent.target.includes(`category=${category}`) || sent.target.includes("cursor=")) return reply;
    const { chain, events, ...rest } = jsonOf(reply) as Page;
    const before = BigInt(events[index]?.source.blockNumber ?? 0) - 1n;
    const safeThroughBlock = isOlder ? String(before) : chain.safeThroughBlock;
    const page = { ...rest, chain: { ...chain, safeThroughBlock }, events: events.toSpliced(index, 1) };
    return text(() => JSON.stringify(page))(reply);
  };
}

test.each([
  ["protocol lacks its newest event and is of an older block", lacking("protocol", 0, true), 0],
  ["protocol lacks its newest event", lacking("protocol", 0, false), 1],
  ["measurement lacks its newest event, as an older page would", lacking("measurement", 0, false), 0],
  ["measurement lacks an event below its newest", lacking("measurement", 1, false), 1],
])("a front may have an older page of one category than of all: %s", async (_, fault, count) => {
  const judging = { send: standIn(full), now: full.at, only: ["activity"], families: ["history"] as const };
  const { findings } = await judge({ ...judging, fault });
  const lines = findings.flatMap(findingLines).filter((line) => line.startsWith("FAIL history/categories "));
  expect([count, lines.length]).toEqual([count, count]);
});

test("statistics that are being built need no 304", async () => {
  const rebuilding: Fault = async (sent, next) => {
    const reply = await next(sent);
    if (!sent.target.startsWith("/v2/public/stats?range=") || (reply.status !== 200 && reply.status !== 304))
      return reply;
    const error = headers({
      etag: null,
      "retry-after": "2",
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
    });
    return both(error, status(503), text('{"error":"public_stats_rebuilding"}'))(reply);
  };
  const judging = { send: standIn(full), now: full.at, only: ["statistics"], families: ["not-modified"] as const };
  const report = await judge({ ...judging, fault: rebuilding });
  expect(report.findings.flatMap(findingLines)).toEqual([]);
});
