import type { Database } from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listInstallations, readWatermarks } from "../../../src/ledger/watermarks.ts";
import { ingest } from "../ingest.ts";
import {
  closure,
  contents,
  emptyLedger,
  HASH,
  instant,
  type Json,
  receipt,
  reporterRun,
  round,
  submission,
  uuid,
  verdicts,
} from "../samples.ts";
import { ReferenceLedger } from "./reference-model.ts";

const installationId = fc.constantFrom("wheel-1", "wheel-1", "wheel-2");
const small = fc.integer({ min: 0, max: 5 });
const at = small.map(instant);
const maybeAt = fc.option(at, { nil: null });

const receipts = fc
  .record({
    n: fc.integer({ min: 1, max: 12 }),
    changes: fc.record(
      {
        installationId,
        counterEpoch: fc.integer({ min: 1, max: 2 }).map(uuid),
        sequence: fc.integer({ min: 0, max: 9 }),
        cumulativeWorkUnits: fc.constantFrom("8", "9", "10", "11", "100"),
        distanceMm: small,
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ n, changes }) => receipt(n, changes));

const half = (2n ** 256n - 1n) / 2000n;
const rounds = fc
  .record({
    installationId,
    roundId: small.map(String),
    workUnits: fc.constantFrom("0", "5", String(half)),
    distanceMm: fc.constantFrom(null, "0", String(half + 1n)),
    eligible: fc.boolean(),
  })
  .map((changes) => round(0, changes));

const closures = fc
  .record({
    first: small,
    length: fc.integer({ min: -1, max: 3 }),
    changes: fc.record({ installationId, acceptedAt: fc.constantFrom(instant(0), instant(1)) }),
  })
  .map(({ first, length, changes }) => closure(first, Math.max(0, first + length), changes));

const runs = fc
  .record({
    installationId,
    startedAt: small.map((seconds) => instant(seconds - 10)),
    end: fc.option(
      fc.record({
        finishedAt: fc.constantFrom(instant(6), instant(7)),
        result: fc.constantFrom("submitted", "failed"),
      }),
      { nil: { finishedAt: null, result: null } },
    ),
  })
  .map(({ end, ...changes }) => reporterRun({ ...changes, ...end }));

const terminal = ["confirmed", "reverted", "superseded"];
const lifecycle = fc.constantFrom("preparing", "submitted", "retrying", ...terminal);
/** A valid lifecycle record, sometimes with one field changed. */
const submissions = fc
  .record({
    lifecycle,
    submittedAt: at,
    terminalAt: at,
    confirmedAt: at,
    activeRoundCount: fc.constantFrom(0, 2, 16),
    odd: fc.record(
      {
        installationId,
        submissionId: fc.integer({ min: 1, max: 2 }).map(uuid),
        settledThroughRound: fc.constantFrom("4001", "4000"),
        preparedAt: maybeAt.map((value) => value ?? instant(0)),
        submittedAt: maybeAt,
        confirmedAt: maybeAt,
        terminalAt: maybeAt,
        outcomeCode: fc.constantFrom(null, "reverted", "superseded", "other"),
        activeRoundCount: fc.constantFrom(17, 1),
      },
      { requiredKeys: ["installationId"] },
    ),
  })
  .map(({ lifecycle, odd, ...given }) => {
    const isTerminal = terminal.includes(lifecycle);
    const right: Json = {
      lifecycle,
      activeRoundCount: given.activeRoundCount,
      transactionHash: lifecycle === "preparing" ? null : HASH,
      submittedAt: ["preparing", "retrying"].includes(lifecycle) ? null : given.submittedAt,
      terminalAt: isTerminal ? instant(9) : null,
      confirmedAt: lifecycle === "confirmed" ? instant(8) : null,
      outcomeCode: ["reverted", "superseded"].includes(lifecycle) ? lifecycle : null,
    };
    const keys = Object.keys(odd).length > 3 ? ["installationId", "submissionId"] : Object.keys(odd);
    const changes = Object.fromEntries(Object.entries(odd).filter(([key]) => keys.includes(key)));
    return submission({ submissionId: uuid(1), ...right, ...changes });
  });

/** Some records are repeated, some of them late. */
const facts = (record: fc.Arbitrary<Json>) =>
  fc
    .tuple(fc.array(record, { minLength: 1, maxLength: 20 }), fc.array(fc.nat(), { maxLength: 8 }))
    .map(([first, again]) => [...first, ...again.map((index) => first[index % first.length] as Json)]);
const KINDS: [string, fc.Arbitrary<Json[]>][] = [
  ["receipts", facts(receipts)],
  ["rounds and closures", facts(fc.oneof(rounds, rounds, closures))],
  ["submissions", facts(submissions)],
  ["Reporter's runs", facts(runs)],
  ["all together", facts(fc.oneof(receipts, rounds, closures, submissions, runs))],
];

test.each(KINDS)("%s get the verdicts of a slow, plain implementation of the contract", (_, records) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(records, (history) => {
      const reference = new ReferenceLedger();
      const expected = history.map((record) => reference.take(record));
      const db = emptyLedger();
      expect(judged(db, history).map(withoutRule)).toEqual(expected);
      for (const verdict of expected) seen.add(verdict);
      for (const { rowId, id } of listInstallations(db)) {
        const kinds = reference.accepted.filter((record) => record.installationId === id).map(({ type }) => type);
        for (const [kind, value] of Object.entries(readWatermarks(db, rowId))) {
          expect(kinds.filter((type) => type === kind)).toHaveLength(value);
        }
      }
    }),
    { numRuns: 30 },
  );
  // Histories that are all accepted or all rejected would prove little.
  expect(seen).toContain("accepted");
  expect(seen).toContain("duplicate");
  expect(seen.size).toBeGreaterThan(2);
});

test("ingesting any input again changes nothing: accepted lines are duplicates, rejected ones are rejected or duplicates", () => {
  const all = facts(fc.oneof(receipts, rounds, closures, submissions, runs));
  fc.assert(
    fc.property(all, (history) => {
      const db = emptyLedger();
      const once = judged(db, history);
      // A closure before its round is accepted the second time. All else is decided after the first.
      const settled = history.filter(
        (record, index) => record.type !== "closure" || !once[index]?.startsWith("unknown_round"),
      );
      const after = contents(db);
      const twice = verdicts(db, ...settled);
      expect(twice).not.toContain("accepted");
      expect(contents(db)).toEqual(after);
    }),
    { numRuns: 30 },
  );
});

/** Record by record, and in one run, where the in-memory state must match the ledger. */
function judged(db: Database, history: readonly Json[]): string[] {
  const inOneRun = emptyLedger();
  const results = verdicts(db, ...history);
  const { accepted, duplicate, rejections } = ingest(inOneRun, history);
  expect(rejections.map(({ fault }) => `${fault.code} ${fault.field}`)).toEqual(
    results.filter((verdict) => verdict.includes(" ")),
  );
  expect({ accepted, duplicate }).toEqual({
    accepted: tally(results, "accepted"),
    duplicate: tally(results, "duplicate"),
  });
  expect(contents(inOneRun)).toEqual(contents(db));
  return results;
}

function tally(results: readonly string[], verdict: string): number {
  return results.filter((result) => result === verdict).length;
}

/** The contract does not define which of a submission's rules is named first. */
function withoutRule(verdict: string): string {
  return verdict.startsWith("submission_") ? (verdict.split(" ")[0] ?? "") : verdict;
}
