/** Compares the process snapshot with `reference.ts` on random growing histories. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildProcess } from "../../../src/resources/process/build.ts";
import { readProcessFacts } from "../../../src/resources/process/facts.ts";
import { accept, coreAt, emptyLedger, type Fact, INSTALLATION } from "./history.ts";
import { GENESIS, type Step, steps } from "./random-history.ts";
import { referenceProcess } from "./reference.ts";

const RUNS = 200;

function bodyAt(build: ReturnType<typeof buildProcess>): Record<string, unknown> {
  const { revision: _revision, generatedAt: _generatedAt, ...rest } = JSON.parse(build.body) as Record<string, unknown>;
  return rest;
}

function coreOf(step: Step) {
  return step.frontier === undefined ? undefined : coreAt(step.frontier, step.frontier * 12_345n, 10n ** 6n);
}

test("the process snapshot equals the slow reference at every read", () => {
  fc.assert(
    fc.property(steps, fc.option(fc.constant(GENESIS), { nil: undefined, freq: 9 }), (looks, genesis) => {
      const ledger = emptyLedger();
      const facts: Fact[] = [];
      for (const step of looks) {
        for (const fact of step.facts) {
          accept(ledger, fact);
          facts.push(fact);
        }
        const core = coreOf(step);
        const built = buildProcess(
          readProcessFacts(ledger, { rowId: 1, id: INSTALLATION }, { core, genesisTimestamp: genesis }),
          step.at,
        );
        expect(bodyAt(built)).toEqual(referenceProcess(facts, core, genesis, { at: step.at }));
      }
      ledger.close();
    }),
    { numRuns: RUNS },
  );
});

test("nextChangeAt is the first millisecond at which the body differs, and after the last one nothing changes", () => {
  fc.assert(
    fc.property(steps, (looks) => {
      const ledger = emptyLedger();
      const facts = looks.flatMap((step) => step.facts);
      for (const fact of facts) accept(ledger, fact);
      const core = coreAt(3n, 12_345n, 100n);
      const read = readProcessFacts(ledger, { rowId: 1, id: INSTALLATION }, { core, genesisTimestamp: GENESIS });
      const seenAt = looks[0]?.at ?? 0;
      let at = seenAt;
      for (let changes = 0; ; changes++) {
        const built = buildProcess(read, at, seenAt);
        if (built.nextChangeAt === undefined) break;
        expect(changes).toBeLessThan(3);
        expect(built.nextChangeAt).toBeGreaterThan(at);
        expect(referenceProcess(facts, core, GENESIS, { at: built.nextChangeAt - 1, seenAt })).toEqual(bodyAt(built));
        expect(referenceProcess(facts, core, GENESIS, { at: built.nextChangeAt, seenAt })).not.toEqual(bodyAt(built));
        at = built.nextChangeAt;
      }
      const forever = 253_402_300_799_999;
      expect(bodyAt(buildProcess(read, at, seenAt))).toEqual(
        referenceProcess(facts, core, GENESIS, { at: forever, seenAt }),
      );
      ledger.close();
    }),
    { numRuns: RUNS },
  );
});
