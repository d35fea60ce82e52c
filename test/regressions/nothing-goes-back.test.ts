/** Nothing goes back, and damage is repaired (docs/spec/publishing.md#nothing-goes-back, #damage). */
import { expect, it } from "vitest";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { instant, module, oracle, receipt } from "../ledger/samples.ts";
import { ON_S3, Scene } from "./scene.ts";

const TELEMETRY = "v1/public/telemetry";
const PROCESS = "v4/public/process";
const TILE = observationTileKey("wheel-1", "1", 0);
const DAY = 86_400_000;

const receipts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => receipt(from + index));
const text = async (scene: Scene, key: string) => new TextDecoder().decode((await scene.object(key)).body);
const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

it("an older ledger in place of the published one ends with 1 in every mode and takes nothing back", async () => {
  await using scene = new Scene();
  await scene.ingest([
    ...receipts(1, 20),
    module({ observedAt: instant(0) }),
    oracle({ at: instant(0), blockedReason: null }),
  ]);
  scene.copyLedger("ledger.db", "older.db");
  await scene.ingest([
    module({ observedAt: instant(30), instanceId: "encoder-1", state: "faulted" }),
    oracle({ at: instant(30), blockedReason: "paused" }),
  ]);
  await scene.published(70);
  const published = () => Promise.all(["v1/public/modules", PROCESS].map((key) => text(scene, key)));
  const before = await published();
  scene.copyLedger("older.db", "ledger.db");
  for (const more of [[], ["--only", "process"], ["--force"], ["--state", "lost"]]) {
    const { exitCode, stderr } = await scene.publish(80, ...more);
    expect([more, exitCode], stderr).toEqual([more, 1]);
    expect(stderr).toContain("noonmark: ledger_behind: wheel-1 was published with");
  }
  expect(await published()).toEqual(before);
  const { stdout } = await scene.run("status", "--json");
  expect(JSON.parse(stdout).report.failures).toMatchObject([{ code: "ledger_behind" }]);
});

it("--at a year ahead is refused, and can be forced only in a new store", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 3));
  const ahead = ["publish", "--once", "--at", isoIn(365 * DAY)];
  const refused = { exitCode: 2, stderr: expect.stringContaining("at_in_future") };
  expect(await scene.run(...ahead)).toMatchObject(refused);
  expect((await scene.run("publish", "--once")).exitCode).toBe(0);
  for (const more of [[], ["--force"]]) expect(await scene.run(...ahead, ...more)).toMatchObject(refused);
  for (const key of await scene.keys("")) await scene.store.delete(key);
  scene.loseState();
  expect((await scene.run(...ahead, "--force")).exitCode).toBe(0);
  const behind = { exitCode: 1, stderr: expect.stringContaining("clock_behind") };
  expect(await scene.run("publish", "--once")).toMatchObject(behind);
  expect(await scene.run("status", "--max-age", "60")).toMatchObject(behind);
});

it("fsck finds objects that another tool damaged by key, and --repair restores them", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 200));
  expect((await scene.run("publish", "--once")).exitCode).toBe(0);
  const whole = [await text(scene, TILE), JSON.parse(await text(scene, PROCESS)).revision];
  for (const key of [TILE, PROCESS]) await scene.damage(key);
  const found = await scene.run("fsck");
  expect(found.exitCode).toBe(1);
  for (const key of [TILE, PROCESS]) expect(found.stdout).toContain(`FAIL damaged ${key}: `);
  const repaired = await scene.run("fsck", "--repair");
  expect(repaired).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 0 findings, 2 repaired\n$/) });
  expect([await text(scene, TILE), JSON.parse(await text(scene, PROCESS)).revision]).toEqual(whole);
});

// The life of a lease is the same on a directory (test/publish/lease/unreadable.test.ts).
it.runIf(ON_S3)(
  "a damaged lease object is watched for 34 s and taken; a damaged index is rewritten with it",
  { timeout: 90_000 },
  async () => {
    await using scene = new Scene();
    await scene.ingest(receipts(1, 3));
    await scene.published(10);
    const index = await text(scene, "installations");
    for (const key of ["status.json", "installations"]) await scene.damage(key);
    scene.loseState();
    await scene.ingest([receipt(4)]);
    const started = performance.now();
    const unreadable = expect.stringContaining("warning: lease_unreadable: status.json");
    expect(await scene.publish(20)).toMatchObject({ exitCode: 0, stderr: unreadable });
    expect(performance.now() - started).toBeGreaterThan(34_000);
    expect(await text(scene, "installations")).toBe(index);
    expect(await text(scene, TELEMETRY)).toContain('"cumulativeWorkUnits":"40"');
  },
);
