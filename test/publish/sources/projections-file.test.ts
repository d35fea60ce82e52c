/**
 * The projections' database: which failures name it, and how often it is committed. Each receipt changes the same rows.
 */
import { cpSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../../src/chain/chain.ts";
import { readCursor } from "../../../src/projections/follow.ts";
import { openProjections } from "../../../src/projections/open.ts";
import { RECEIPTS } from "../../../src/projections/receipts.ts";
import { NO_SMALL_DISK, smallDisk } from "../../support/small-disk.ts";
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

test.skipIf(NO_SMALL_DISK !== undefined)(
  `a full state disk is reported with the path of the projections ${NO_SMALL_DISK ?? ""}`,
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

test("while another process writes to the projections the event loop runs, and a cycle goes on after it", async () => {
  const state = join(world.folder, "state");
  const reader = readerOver(state);
  const other = openProjections(join(state, "projections.db"));
  other.exec("BEGIN IMMEDIATE");
  world.receive(10);
  // A wait in SQLite would not let this run before it failed.
  const release = setTimeout(() => other.exec("COMMIT"), 0);
  await reader.begin(START + 1e9).advance(() => {});
  expect(
    readCursor(
      reader.begin(START + 1e9).snapshot(({ projections }) => projections),
      RECEIPTS,
    )?.at,
  ).toBe("10");
  clearTimeout(release);
  reader.close();
  other.close();
});

test("damaged projections are not reported as a damaged ledger", async () => {
  const state = join(world.folder, "state");
  const path = join(state, "projections.db");
  const first = readerOver(state);
  world.receive(2_000);
  await first.begin(START + 1e9).advance(() => {});
  first.close();
  const reader = readerOver(state);
  // Everything except the page with the schema.
  writeFileSync(path, Buffer.alloc(400_000, 0x5a), { flag: "r+" });
  world.receive(2_000);
  const followed = reader.begin(START + 2e9).advance(() => {});
  await expect(followed).rejects.toMatchObject({
    code: expect.stringMatching(/^state_/),
    message: expect.stringContaining(path),
  });
  reader.close();
});

const walBytes = () => statSync(join(world.folder, "state", "projections.db-wal")).size;
const positionOf = (reader: SourceReader) =>
  reader.begin(START).snapshot(({ projections }) => Number(readCursor(projections, RECEIPTS)?.at));

test("the steps of twenty seconds are one commit, and a process after a kill derives them again", async () => {
  const reader = readerOver(join(world.folder, "state"));
  world.receive(1);
  await reader.begin(START).advance(() => {});
  reader.saveIfDue(0);
  reader.saveIfDue(20_000);
  const before = walBytes();
  for (let second = 1; second < 20; second++) {
    world.receive(1);
    await reader.begin(START + second * 3_000).advance(() => {});
    reader.saveIfDue(20_000 + second * 1_000);
    expect(walBytes()).toBe(before);
  }
  expect(positionOf(reader)).toBe(20);
  cpSync(join(world.folder, "state"), join(world.folder, "killed"), { recursive: true });
  const killed = readerOver(join(world.folder, "killed"));
  expect(positionOf(killed)).toBe(1);
  await killed.begin(START + 60_000).advance(() => {});
  expect(positionOf(killed)).toBe(20);
  killed.close();
  reader.saveIfDue(41_000);
  expect(walBytes()).toBeGreaterThan(before);
  reader.close();
});

test("a replaced projections file makes the next cycle plan every response again", async () => {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const [file, copy] = ["projections.db", "rebuilt.db"].map((name) => join(world.folder, "state", name)) as [
    string,
    string,
  ];
  expect((await worker.cycle(START + 11_000)).rows).toEqual([]);
  rmSync(copy, { force: true });
  openProjections(copy).close();
  renameSync(copy, file);
  const { rows } = await worker.cycle(START + 12_000);
  expect(rows.map(({ key }) => key)).toContain("v1/public/telemetry");
  expect(new Set(rows.map(({ action }) => action))).toEqual(new Set(["unchanged"]));
});
