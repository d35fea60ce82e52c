/** History does not fork (docs/spec/publishing.md#nothing-goes-back), and pages stay true while receipts arrive. */
import { renameSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { INSTALLATION, receive, START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Another ledger replaces the published one: `count` receipts with `salt` in their telemetryIds. */
function replaceLedger(count: number, salt: string): void {
  const path = `${world.folder}/other.db`;
  const other = openLedgerForIntake(path);
  receive(other, count, { rowId: 1, id: INSTALLATION });
  other.prepare("UPDATE receipt SET telemetry_id = replace(telemetry_id, '-4000-', ?)").run(`-${salt}-`);
  other.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(world.ledgerPath + suffix, { force: true });
  renameSync(path, world.ledgerPath);
}

test.each([
  ["ledger_behind", 99, "4000"],
  ["ledger_forked", 200, "5000"],
])("a ledger that is %s puts nothing for the installation", async (code, count, salt) => {
  world.receive(100);
  const worker = await world.work();
  await worker.cycle(START + 301_000);
  const before = await world.body("/v1/public/telemetry");
  world.ledger.close();
  replaceLedger(count, salt);
  const { failures, rows } = await worker.cycle(START + 700_000);
  expect(failures.map((failure) => failure.code)).toEqual([code]);
  expect(rows.filter(({ action }) => action !== "unchanged")).toEqual([]);
  expect(await world.body("/v1/public/telemetry", START + 301_000)).toBe(before);
  await worker.stop();

  const anew = await world.work({ newHistories: [INSTALLATION] });
  expect((await anew.cycle(START + 701_000)).failures).toEqual([]);
  const page = JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations`));
  expect(page.items[0].telemetryId).toContain(`-${salt}-`);
  await anew.stop();
});

test("a reader who pages while receipts arrive in bursts gets every receipt once", async () => {
  const worker = await world.work();
  const seen: number[] = [];
  let cursor: string | null = null;
  let at = START;
  for (const burst of [0, 1, 60, 66, 1, 0, 129, 3, 256, 127, 1, 1, 300, 0, 0, 0, 0, 0, 0, 0]) {
    if (burst > 0) world.receive(burst);
    at += 1000;
    await worker.cycle(at);
    const limit = 1 + (burst % 100);
    const query: string = cursor === null ? `limit=${limit}` : `limit=${limit}&cursor=${cursor}`;
    for (let pages = 0; pages < 5; pages++) {
      const url: string = `/v1/public/installations/${INSTALLATION}/observations?${cursor === null ? query : `limit=${limit}&cursor=${cursor}`}`;
      const page = JSON.parse(await world.body(url)) as {
        items: { sequence: number; cursor: string }[];
        nextCursor: string | null;
      };
      seen.push(...page.items.map(({ sequence }) => sequence));
      cursor = page.items.at(-1)?.cursor ?? cursor;
      if (page.nextCursor === null) break;
      expect(page.nextCursor).toBe(cursor);
    }
  }
  for (;;) {
    const url: string = `/v1/public/installations/${INSTALLATION}/observations?cursor=${cursor}`;
    const page = JSON.parse(await world.body(url)) as {
      items: { sequence: number; cursor: string }[];
      nextCursor: string | null;
    };
    seen.push(...page.items.map(({ sequence }) => sequence));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  const total = 1 + 60 + 66 + 1 + 129 + 3 + 256 + 127 + 1 + 1 + 300;
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  await worker.stop();
});
