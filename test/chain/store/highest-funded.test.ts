/** The highest funded round is found with one lookup. */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Deployment } from "../../../src/chain/deployment.ts";
import { append } from "../../../src/chain/store/append.ts";
import { openChainStore } from "../../../src/chain/store/open-store.ts";
import { highestFunded } from "../../../src/chain/store/read-events.ts";
import { HIGHEST_FIRST, IS_FUNDING } from "../../../src/chain/store/schema.ts";
import { batchEvents, fundingEvent } from "../../support/chain/chain-db.ts";
import { testFolder } from "../../support/test-folder.ts";

const HIGHEST = 2n ** 64n - 1n;
const EVENTS = [
  fundingEvent(1n, 0, 9n, 1n),
  fundingEvent(2n, 0, HIGHEST, 2n),
  fundingEvent(2n, 1, HIGHEST, 3n),
  fundingEvent(3n, 0, 10n, 4n),
  ...batchEvents([{ block: 4n, time: 0, rounds: 1n, activeRounds: 1n, work: 1n }]),
];

test("rounds are compared as numbers, and the first of two fundings of a round counts", () => {
  const path = join(testFolder(), "chain.db");
  const db = openChainStore(path, {} as Deployment);
  expect(highestFunded(db)).toBeUndefined();
  append(db, { expected: undefined, from: 0n, events: EVENTS, through: { block: 4n, hash: "0x" }, at: 0 });
  expect(highestFunded(db)).toEqual(EVENTS[1]);
  const plan = `EXPLAIN QUERY PLAN SELECT * FROM event INDEXED BY event_highest_funded
    WHERE ${IS_FUNDING} ${HIGHEST_FIRST} LIMIT 1`;
  const steps = db.prepare(plan).all() as { readonly detail: string }[];
  expect(steps.map(({ detail }) => detail)).toEqual(["SCAN event USING INDEX event_highest_funded"]);
  db.close();
});
