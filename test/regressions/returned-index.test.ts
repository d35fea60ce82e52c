/** An older index returns or is deleted: no device is forgotten. */
import { expect, it } from "vitest";
import { receipts } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const telemetryOf = (id: string) => `/v1/public/installations/${id}/telemetry`;

/** Two devices are published, and the index with only the first one has returned. */
async function firstIndexIsBack(scene: Scene): Promise<void> {
  await scene.ingest(receipts(1, 5));
  scene.copyLedger("ledger.db", "older.db");
  await scene.published(100);
  const before = await scene.object("installations");
  await scene.ingest(receipts(1, 5, { installationId: "wheel-2" }));
  await scene.published(110);
  await scene.putBack("installations", before);
}

async function expectOnline(scene: Scene, seconds: number): Promise<void> {
  for (const id of ["wheel-1", "wheel-2"]) {
    const { status, body } = await scene.read(telemetryOf(id), seconds);
    expect([id, status, body.status, body.measurement?.cumulativeWorkUnits]).toEqual([id, 200, "online", "50"]);
  }
}

it.each(["kept", "lost"])("the next run replaces an older index that has returned (state %s)", async (state) => {
  await using scene = new Scene();
  await firstIndexIsBack(scene);
  if (state === "lost") scene.loseState();
  await scene.published(120);
  await expectOnline(scene, 120);
});

it.each(["kept", "lost"])("a rejected ledger makes no index of fewer devices (state %s)", async (state) => {
  await using scene = new Scene();
  await firstIndexIsBack(scene);
  await scene.published(120);
  const index = await scene.object("installations");
  if (state === "lost") scene.loseState();
  const { exitCode, stderr } = await scene.publish(130, "--force", "--ledger", "older.db");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: ")]);
  expect(await scene.object("installations")).toEqual(index);
});

it.each([
  ["lost", "none"],
  ["lost", "older.db"],
  ["an older one", "none"],
  ["an older one", "older.db"],
])("a published device does not become offline when the index is %s and the ledger is %s", async (index, ledger) => {
  await using scene = new Scene();
  await firstIndexIsBack(scene);
  if (index === "lost") await scene.store.delete("installations");
  scene.loseState();
  scene.settings.ledger = ledger;
  await scene.publish(120);
  for (const id of ["wheel-1", "wheel-2"]) expect((await scene.read(telemetryOf(id), 120)).status).toBe(503);
  scene.settings.ledger = "ledger.db";
  await scene.published(130);
  await expectOnline(scene, 130);
});
