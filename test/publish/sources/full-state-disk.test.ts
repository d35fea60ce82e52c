/** What is derived is written while the ledger is read: a failure names the file that failed, not the one being read. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../../src/chain/chain.ts";
import { noSmallDisk, smallDisk } from "../../support/small-disk.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

function readerOver(state: string): SourceReader {
  return new SourceReader({
    installationId: INSTALLATION,
    ledger: new LedgerSource(world.ledgerPath),
    projections: ownProjections(state, { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
}

test.skipIf(noSmallDisk !== undefined)(
  `a full disk of the state is the projections', with their path ${noSmallDisk ?? ""}`,
  async () => {
    const disk = smallDisk(2048);
    const reader = readerOver(join(disk.path, "state"));
    try {
      disk.leave(0);
      world.receive(20_000);
      await reader.begin(START + 1e9).advance(() => {});
      reader.saveIfDue(0);
      const save = () => reader.saveIfDue(20_000);
      expect(save).toThrow(
        expect.objectContaining({
          code: "disk_full",
          message: `no space is left for the projections ${join(disk.path, "state", "projections.db")}`,
        }),
      );
    } finally {
      reader.close();
      disk.unmount();
    }
  },
);

test("damaged projections are not said to be a damaged ledger", async () => {
  const state = join(world.folder, "state");
  const path = join(state, "projections.db");
  const first = readerOver(state);
  world.receive(2_000);
  await first.begin(START + 1e9).advance(() => {});
  first.close();
  const reader = readerOver(state);
  // Everything but the page with the schema.
  writeFileSync(path, Buffer.alloc(400_000, 0x5a), { flag: "r+" });
  world.receive(2_000);
  const followed = reader.begin(START + 2e9).advance(() => {});
  await expect(followed).rejects.toMatchObject({
    code: expect.stringMatching(/^projections_/),
    message: expect.stringContaining(path),
  });
  reader.close();
});
