/** The state directory. Rows about puts are committed periodically, because each commit writes whole pages. */
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { Known } from "../../publish/known.ts";
import type { KnownObject } from "../../publish/known-objects.ts";
import { isOutage } from "../../publish/schedule/schedule.ts";
import { STATUS_KEY } from "../../src/http/keys.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { NO_SMALL_DISK, smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";
import { START, World } from "./world.ts";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const REST = {
  key: "k",
  condition: "stored" as const,
  states: [],
  sourceVersion: { at: 1 },
  status: 200,
  bytes: 1,
  etag: null,
  putAt: 1,
};
const object = (tag: string): KnownObject => ({ ...REST, tag });
const walBytes = (state: string) => statSync(join(folder, state, "published.db-wal")).size;

test("the puts of thirty seconds are one commit", () => {
  const state = Known.open(join(folder, "state"));
  const before = walBytes("state");
  for (let second = 0; second < 30; second++) {
    for (let put = 0; put < 10; put++) state.objects.remember(object(`${second}-${put}`));
    state.rows.setMeta("at", String(second));
    state.rows.saveIfDue(second * 1_000);
    expect(walBytes("state")).toBe(before);
  }
  state.rows.saveIfDue(30_000);
  // Two pages with their headers.
  expect(walBytes("state") - before).toBeLessThan(10_000);
  expect(walBytes("state")).toBeGreaterThan(before);
  state.close();
});

test("a state directory that was removed is named, with what to do", () => {
  const state = Known.open(join(folder, "state"));
  rmSync(join(folder, "state"), { recursive: true });
  state.rows.keepCheckpoint(Buffer.from("log/1\n1\nroot\n"));
  expect(() => state.close()).toThrow(
    expect.objectContaining({ code: "state_unusable", ownHint: expect.stringContaining("start the publisher again") }),
  );
});

test("rows that a killed process did not commit are forgotten, because the store may have changed since", () => {
  const state = Known.open(join(folder, "state"));
  state.objects.remember(object("first"));
  state.rows.setMeta("epoch", "7");
  state.objects.remember(object("second"));
  // The state after a kill at this moment.
  cpSync(join(folder, "state"), join(folder, "killed"), { recursive: true });
  state.close();
  const killed = Known.open(join(folder, "killed"));
  expect(killed.objects.get("k")).toBeUndefined();
  expect(killed.rows.meta("epoch")).toBe("7");
  killed.close();
  const closed = Known.open(join(folder, "state"));
  expect(closed.objects.get("k")?.tag).toBe("second");
  closed.close();
});

test("objects, tiles and listings are kept over a restart, and forgotten together", () => {
  const opened = () => Known.open(join(folder, "state"));
  const everything = ({ objects, tiles, listings }: Known) => ({
    objects: [...objects.all()],
    tiles: [...tiles.everyProgress()],
    listings: [...listings.prefixes()].map((prefix) => [
      prefix,
      listings.version(prefix),
      [...(listings.names(prefix) ?? [])],
    ]),
  });
  const first = opened();
  first.objects.remember(object("tag"));
  const progress = { log: 1, position: 300, tag: "t", point: { size: 5, root: "r" } };
  first.tiles.rememberProgress("wheel-1", progress);
  first.listings.remember("tiles/", ["a", "b"]);
  first.listings.setName("tiles/", "b", 7);
  first.listings.setVersion("tiles/", "v");
  first.close();
  const second = opened();
  expect(everything(second)).toEqual({
    objects: [object("tag")],
    tiles: [["wheel-1", progress]],
    listings: [
      [
        "tiles/",
        "v",
        [
          ["a", null],
          ["b", 7],
        ],
      ],
    ],
  });
  const nothing = { objects: [], tiles: [], listings: [] };
  second.publishedInstallations = { installations: new Map(), log: 1 };
  second.forgetAll();
  expect(everything(second)).toEqual(nothing);
  expect(second.publishedInstallations).toBeUndefined();
  second.close();
  const third = opened();
  expect(everything(third)).toEqual(nothing);
  third.close();
});

test.skipIf(NO_SMALL_DISK !== undefined)(
  `a full disk is disk_full, which counts as an outage, and leaves the state unchanged ${NO_SMALL_DISK ?? ""}`,
  () => {
    const disk = smallDisk(1024);
    try {
      const state = Known.open(join(disk.path, "state"));
      state.rows.setMeta("epoch", "1");
      for (const name of ["published.db", "user"]) {
        expect([name, statSync(join(disk.path, "state", name)).mode & 0o777]).toEqual([name, 0o600]);
      }
      disk.leave(0);
      const write = () => {
        for (let turn = 0; turn < 1000; turn++) state.rows.setMeta("epoch", "x".repeat(4096 + turn));
      };
      expect(write).toThrow(expect.objectContaining({ code: "disk_full" }));
      try {
        write();
      } catch (error) {
        expect(isOutage(error)).toBe(true);
      }
      rmSync(join(disk.path, "ballast"));
      state.rows.setMeta("epoch", "2");
      expect(state.rows.meta("epoch")).toBe("2");
      state.close();
      disk.leave(0);
      expect(() => Known.open(join(disk.path, "other"))).toThrow(expect.objectContaining({ code: "disk_full" }));
    } finally {
      disk.unmount();
    }
  },
);

test("a state is forgotten if another publisher held the lease since, even under the same epoch", async () => {
  const world = new World();
  const key = installationTelemetryKey("wheel-2");
  world.receive(3);
  world.receive(3, 2, "wheel-2");
  for (const state of ["own", "other"]) {
    const worker = await world.work({ state });
    await worker.cycle(world.now + 10_000);
    await worker.stop();
    // Without its object the lease restarts at epoch 1.
    if (state === "own") await world.store.delete(STATUS_KEY);
  }
  const again = await world.work({ state: "own" });
  expect(again.known.objects.get(key)).toBeUndefined();
  await again.stop();
  world.end();
});

test("the tables of another version are dropped, and the state is looked up again", async () => {
  const world = new World();
  const worker = await world.work();
  await worker.cycle(START + 100_000);
  await worker.stop();
  const path = join(world.folder, "state", "published.db");
  const older = new Database(path);
  older.exec(
    "DROP TABLE known; CREATE TABLE known (key TEXT PRIMARY KEY, other TEXT NOT NULL); PRAGMA user_version = 1",
  );
  older.close();
  const next = await world.work();
  const { rows } = await next.cycle(START + 101_000);
  expect(rows.filter(({ action }) => action !== "unchanged")).toEqual([]);
  await next.stop();
  world.end();
});
