/** Nothing goes back (docs/spec/publishing.md#nothing-goes-back). */
import { expect, it } from "vitest";
import { instant, module, oracle, receipts } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const PROCESS = "v4/public/process";
const DAY = 86_400_000;

const text = async (scene: Scene, key: string) => new TextDecoder().decode((await scene.object(key)).body);
const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

it("an older ledger in place of the published one exits 1 in every mode and takes nothing back", async () => {
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
  for (const more of [[], ["--force"], ["--state", "lost"]]) {
    const { exitCode, stderr } = await scene.publish(80, ...more);
    expect([more, exitCode], stderr).toEqual([more, 1]);
    expect(stderr).toContain("noonmark: ledger_behind: the log was published with 24 entries");
  }
  expect(await published()).toEqual(before);
  const { stdout } = await scene.run("status", "--json");
  expect(JSON.parse(stdout).problems).toContainEqual(expect.stringMatching(/^ledger_behind: /));
});

it("--at a year ahead is rejected, and can be forced only in a new store", async () => {
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
