/** Two faults or changes at once take nothing back, also if each of them alone is harmless. */
import { expect, it } from "vitest";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { oracle, receipt, receipts } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const OWN = "/v1/public/telemetry";
const telemetryOf = (id: string) => `/v1/public/installations/${id}/telemetry`;
const observationsOf = (id: string) => `/v1/public/installations/${id}/observations`;
const index = async (scene: Scene) => JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
/** The installation and the newest sum of telemetry; its status if it is not 200. */
const work = async (scene: Scene, url: string, seconds: number) => {
  const { status, body } = await scene.read(url, seconds);
  return status === 200 ? `${body.installationId} ${body.measurement?.cumulativeWorkUnits ?? body.status}` : status;
};

it.each(["none", "other.db"])(
  "an older index and the ledger %s: --force deletes no observations, and the index names their installation again",
  async (ledger) => {
    await using scene = new Scene();
    await scene.ingest(receipts(1, 5));
    scene.copyLedger("ledger.db", "other.db");
    await scene.published(100);
    const older = await scene.object("installations");
    await scene.ingest(receipts(1, 5, { installationId: "wheel-2" }));
    await scene.published(110);
    await scene.putBack("installations", older);
    expect(await work(scene, telemetryOf("wheel-2"), 120)).toBe("wheel-2 offline");
    scene.settings.ledger = ledger;
    await scene.publish(120, "--force");
    expect(await work(scene, telemetryOf("wheel-2"), 120)).toBe("wheel-2 50");
    expect((await scene.read(observationsOf("wheel-2"), 120)).body.items).toHaveLength(5);
  },
);

it("an older index of 70 installations and a lost state: no device is offline", async () => {
  await using scene = new Scene();
  const ids = Array.from({ length: 70 }, (_, n) => `wheel-${n + 1}`);
  await scene.ingest(ids.slice(0, 69).map((installationId) => receipt(1, { installationId })));
  await scene.published(100);
  const older = await scene.object("installations");
  await scene.ingest([receipt(1, { installationId: "wheel-70" })]);
  await scene.published(110);
  await scene.putBack("installations", older);
  scene.loseState();
  await scene.published(120);
  expect(await work(scene, telemetryOf("wheel-70"), 120)).toBe("wheel-70 10");
});

it("an older index, lost telemetry, a lost state and an older ledger: the log is still the newest", async () => {
  await using scene = new Scene();
  await scene.ingest([...receipts(1, 5), oracle()]);
  await scene.published(100);
  const older = await scene.object("installations");
  scene.copyLedger("ledger.db", "older.db");
  await scene.ingest(receipts(6, 30));
  await scene.published(110, "--new-log", "2", "--yes");
  await scene.putBack("installations", older);
  await scene.store.delete("v1/public/telemetry");
  scene.loseState();
  const { exitCode, stderr } = await scene.publish(120, "--ledger", "older.db");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ledger_behind")]);
  expect((await index(scene)).log).toBe(2);
  expect(await work(scene, OWN, 120)).toBe(503);
});

it("another object under the key of a tile far beyond the end and a lost state: publishing goes on", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 5));
  await scene.published(100);
  const tile = await scene.object(observationTileKey("wheel-1", 1, 0));
  await scene.putBack(observationTileKey("wheel-1", 1, 900_000_000_000_000), tile);
  await scene.ingest(receipts(6, 6));
  scene.loseState();
  await scene.published(110);
  expect(await work(scene, OWN, 110)).toBe("wheel-1 60");
  expect((await scene.read(observationsOf("wheel-1"), 110)).body.items).toHaveLength(6);
});
