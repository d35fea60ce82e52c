/**
 * 400 random histories, each compared with the independent reference and with rebuilt projections. The seed is in
 * each test's name. NOONTEST_SEED=SEED starts with that seed, and NOONTEST_HISTORIES=1 runs only one, and 2000 more.
 */
import { expect, test } from "vitest";
import { advanceLedgerViews } from "../../../src/projections/advance.ts";
import { StepBudget } from "../../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { advanceFully, bodyOf, contentOf } from "./build-from-ledger.ts";
import { accept, emptyLedger, INSTALLATION } from "./history.ts";
import { Random } from "./random.ts";
import { type RandomHistory, randomHistory } from "./random-history.ts";
import { referenceBody } from "./reference.ts";

const FIRST_SEED = Number(process.env.NOONTEST_SEED ?? 20_261_121);
const HISTORIES = Number(process.env.NOONTEST_HISTORIES ?? 400);
const CHUNK = 100;

const chunks = Array.from({ length: Math.ceil(HISTORIES / CHUNK) }, (_, index) => FIRST_SEED + index * CHUNK);

test.for(chunks)("histories of the seeds from %d on equal the reference and a rebuild", (first) => {
  const statuses = new Set<number>();
  for (let seed = first; seed < Math.min(first + CHUNK, FIRST_SEED + HISTORIES); seed += 1) {
    statuses.add(check(seed, randomHistory(seed)));
  }
  if (HISTORIES >= CHUNK) expect([...statuses].sort()).toEqual([200, 503]);
});

function check(seed: number, { facts, ...question }: RandomHistory): number {
  const ledger = emptyLedger();
  const projections = openProjectionsInMemory();
  const random = new Random(~seed);
  // Batches arrive while time advances, and a step may project only some of the facts.
  for (let taken = 0; taken < facts.length; ) {
    const batch = facts.slice(taken, taken + random.pick([1, 7, 60, 1000]));
    accept(ledger, batch);
    taken += batch.length;
    const at = question.at - Math.floor(((facts.length - taken) / facts.length) * 3 * 86_400_000);
    const inputs = { ledger, installationId: INSTALLATION, genesis: question.genesis, at };
    advanceLedgerViews(projections, inputs, new StepBudget(random.pick([1, 50, 10_000])));
  }
  advanceFully(ledger, projections, question);
  const built = bodyOf(ledger, projections, question);

  const body = referenceBody(facts, { installationId: INSTALLATION, ...question });
  const expected = body ?? '{"error":"public_stats_rebuilding"}';
  if (built.body !== expected) expect(JSON.parse(built.body), `seed ${seed}`).toEqual(JSON.parse(expected));
  expect(built.body, `seed ${seed}`).toBe(expected);

  const rebuilt = openProjectionsInMemory();
  advanceFully(ledger, rebuilt, question, 1_000_000);
  expect(contentOf(projections), `seed ${seed}: incremental and rebuilt`).toEqual(contentOf(rebuilt));
  for (const db of [ledger, projections, rebuilt]) db.close();
  return built.status;
}
