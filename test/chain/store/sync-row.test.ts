// Rows of earlier versions in chain.db keep their meaning.
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Deployment } from "../../../src/chain/deployment.ts";
import { openChainStore } from "../../../src/chain/store/open-store.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { chainDb } from "../../support/chain/chain-db.ts";
import { testFolder } from "../../support/test-folder.ts";

test("a doubt of an earlier version becomes an unconfirmed fault", () => {
  const db = chainDb([], 0);
  const event = { type: "doubt", node: "http://node.example", check: "settlement_state", detail: "it differs" };
  db.prepare("UPDATE sync SET problem = ?").run(JSON.stringify({ since: 7, event }));
  expect(readSync(db).problem).toEqual({ since: 7, event: { ...event, type: "unconfirmed_fault" } });
});

test("the chain's database and SQLite's extra files are accessible only to their owner", () => {
  const directory = testFolder();
  const path = join(directory, "chain.db");
  const db = openChainStore(path, {} as Deployment);
  expect(["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  db.close();
});
