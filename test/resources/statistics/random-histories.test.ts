/** Random histories, each compared with the independent reference and with rebuilt projections. */
import { expect, test } from "vitest";
import { advanceLedgerViews } from "../../../src/projections/advance.ts";
import { StepBudget } from "../../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { Random, seeds } from "../../support/random.ts";
import { advanceFully, bodyOf, contentOf } from "./build-from-ledger.ts";
import { accept, emptyLedger, INSTALLATION } from "./history.ts";
import { type RandomHistory, randomHistory } from "./random-history.ts";
import { referenceBody } from "./reference.ts";

const HISTORIES = seeds(50);

test("the statistics of random histories equal the reference and a rebuild", () => {
  const statuses = new Set(HISTORIES.map((seed) => check(seed, randomHistory(seed))));
  if (HISTORIES.length >= 100) expect([...statuses].sort()).toEqual([200, 503]);
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
