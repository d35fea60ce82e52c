/** `--force` reads every tile (docs/fsck.md). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { INSTALLATION, START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(300);
});
afterEach(() => world.end());

const TILE = observationTileKey(INSTALLATION, "1", 0);

test("a whole tile with another ledger's receipts is reported as forked and not rewritten", async () => {
  const first = await world.work();
  await first.cycle(START + 1_000_000);
  await first.stop();
  const found = await world.store.get(TILE);
  if (found === undefined) throw new Error("no tile");
  const { tag: _, ...object } = found;
  const other = Buffer.from(found.body).toString().replaceAll('"softwareVersion":"1.4.2"', '"softwareVersion":"9.9.9"');
  await world.store.put(TILE, { ...object, body: Buffer.from(other) });
  const worker = await world.work({ force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(rows.find(({ key }) => key === TILE)).toMatchObject({
    action: "failed",
    why: expect.stringMatching(/^ledger_forked: /),
  });
  expect(Buffer.from((await world.store.get(TILE))?.body ?? "").toString()).toBe(other);
  await worker.stop();
});

test("--force with the state kept reads every tile and rewrites missing and damaged ones", async () => {
  const first = await world.work();
  await first.cycle(START + 1_000_000);
  await first.stop();
  const keys = [0, 1, 2].map((tile) => observationTileKey(INSTALLATION, "1", tile));
  const before = await Promise.all(keys.map((key) => world.store.get(key)));
  await world.store.delete(keys[0] ?? "");
  world.store.damage(keys[1] ?? "");
  world.store.damage(keys[2] ?? "");
  const worker = await world.work({ force: true });
  const { rows } = await worker.cycle(START + 1_001_000);
  expect(
    rows
      .filter(({ why }) => why === "missing or damaged in the store")
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(keys);
  const after = await Promise.all(keys.map((key) => world.store.get(key)));
  expect(after.map((one) => one?.body)).toEqual(before.map((one) => one?.body));
  world.receive(10);
  await worker.stop();
  const next = await world.work();
  expect((await next.cycle(START + 1_010_000)).rows.filter(({ action }) => action === "failed")).toEqual([]);
  await next.stop();
});
