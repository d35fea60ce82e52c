import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Deployment } from "../../../src/chain/deployment.ts";
import { openChainStore } from "../../../src/chain/store/open-store.ts";
import { testFolder } from "../../support/test-folder.ts";

test("the chain's database and SQLite's extra files are accessible only to their owner", () => {
  const directory = testFolder();
  const path = join(directory, "chain.db");
  const db = openChainStore(path, {} as Deployment);
  expect(["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  db.close();
});
