/** An older index returns or is deleted: no log goes back, and no device is forgotten. */
import { expect, it } from "vitest";
import { receipt, receipts } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const telemetryOf = (id: string) => `/v1/public/installations/${id}/telemetry`;
const TILES = "v1/public/installations/~wheel-1/observations/";
const logInIndex = async (scene: Scene) =>
  JSON.parse(new TextDecoder().decode((await scene.object("installations")).body)).log;

/** 200 receipts are published from the second log, and the index of the first one has returned. */
async function firstLogIsBack(scene: Scene): Promise<void> {
  await scene.ingest(receipts(1, 200));
  await scene.published(700);
  const before = await scene.object("installations");
  await scene.published(800, "--new-log", "2", "--yes");
  expect(await logInIndex(scene)).toBe(2);
  expect(await scene.keys(`${TILES}2/`)).toHaveLength(2);
  await scene.putBack("installations", before);
}

it.each(["kept", "lost"])(
  "the next run replaces an older index that has returned, and continues the newest log (state %s)",
  async (state) => {
    await using scene = new Scene();
    await firstLogIsBack(scene);
    if (state === "lost") scene.loseState();
    await scene.ingest(receipts(201, 201));
    await scene.publish(900);
    expect(await logInIndex(scene)).toBe(2);
    const page = await scene.read("/v1/public/installations/wheel-1/observations?limit=100&cursor=MjAw", 900);
    expect(page.body.items).toHaveLength(1);
  },
);

it.each(["kept", "lost"])("an older index is replaced even while the ledger is rejected (state %s)", async (state) => {
  await using scene = new Scene();
  await firstLogIsBack(scene);
  await scene.ingest(receipts(1, 100), "older.db");
  if (state === "lost") scene.loseState();
  const { exitCode, stderr } = await scene.publish(900, "--ledger", "older.db");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: ")]);
  expect(await logInIndex(scene)).toBe(2);
});

it("restore, ingest and --new-log use the newest log, not that of the index", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), receipt(2), receipt(3)]);
  await scene.published(20);
  const before = await scene.object("installations");
  const corrected = ["--ledger", "corrected.db"];
  await scene.ingest([receipt(1), receipt(3)], "corrected.db");
  await scene.published(30, ...corrected, "--new-log", "2", "--yes");
  await scene.putBack("installations", before);
  scene.loseState();
  const restored = await scene.run("ledger", "restore", "--ledger", "restored.db");
  expect(restored).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("contains the 2 entries of log 2; 2 of them are new"),
  });
  const ingested = await scene.run("ingest", ...corrected, "facts.ndjson");
  expect(ingested).toMatchObject({ exitCode: 0, stderr: "" });
  const { exitCode, stderr } = await scene.publish(40, ...corrected, "--new-log", "3");
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("log 2 was published with 2 entries, and log 3 begins"),
  ]);
});

it.each(["none", "older.db"])(
  "a published device does not become offline when the index is lost and the ledger is %s",
  async (ledger) => {
    await using scene = new Scene();
    await scene.ingest(receipts(1, 5));
    scene.copyLedger("ledger.db", "older.db");
    await scene.ingest(receipts(1, 5, { installationId: "wheel-2" }));
    await scene.published(100);
    await scene.store.delete("installations");
    scene.loseState();
    scene.settings.ledger = ledger;
    await scene.publish(110);
    for (const id of ["wheel-1", "wheel-2"]) {
      const { status, body } = await scene.read(telemetryOf(id), 110);
      if (status !== 503)
        expect([id, status, body.status, body.measurement?.cumulativeWorkUnits]).toEqual([id, 200, "online", "50"]);
    }
  },
);
