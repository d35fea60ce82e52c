// The publisher checks every second if a source has changed. The check writes nothing and opens nothing.
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../../src/chain/chain.ts";
import { INSTALLATION, World } from "../world.ts";

test("a replaced ledger counts as a change until a cycle opens the new one", () => {
  const world = new World();
  const reader = new SourceReader({
    installationId: INSTALLATION,
    ledger: new LedgerSource(world.ledgerPath),
    projections: ownProjections(join(world.folder, "state"), { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
  reader.acknowledge(reader.version());
  expect(reader.hasChanged()).toBe(false);
  const before = reader.version().ledger?.db;

  copyFileSync(world.ledgerPath, join(world.folder, "copy.db"));
  renameSync(join(world.folder, "copy.db"), world.ledgerPath);
  expect([reader.hasChanged(), reader.hasChanged()]).toEqual([true, true]);
  expect(reader.version().ledger?.db).toBe(before);

  const replaced = [reader.reopenReplaced(), reader.reopenReplaced()];
  expect(replaced.map(({ ledger }) => ledger)).toEqual([true, false]);
  expect(reader.version().ledger?.db).not.toBe(before);
  expect(reader.hasChanged()).toBe(true);
  reader.acknowledge(reader.version());
  expect(reader.hasChanged()).toBe(false);
  reader.close();
  world.end();
});
