// What earlier versions have written into chain.db is read as it was meant.
import { expect, test } from "vitest";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { chainDb } from "../../support/chain/chain-db.ts";

test("a doubt of an earlier version is an unconfirmed fault", () => {
  const db = chainDb([], 0);
  const event = { type: "doubt", node: "http://node.example", check: "settlement_state", detail: "it differs" };
  db.prepare("UPDATE sync SET problem = ?").run(JSON.stringify({ since: 7, event }));
  expect(readSync(db).problem).toEqual({ since: 7, event: { ...event, type: "unconfirmed_fault" } });
});
