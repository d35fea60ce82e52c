/** A lost checkpoint loses no fact, and an object of another log stops nothing (docs/spec/publishing.md#log). */
import { expect, it } from "vitest";
import { checkpointKey } from "../../src/http/keys.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { closure, instant, type Json, module, receipt, receipts, round } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const CHECKPOINT = checkpointKey("private");
/** Responses that are computed from facts alone. */
const KEYS = ["v1/public/modules", "v1/public/telemetry", "v2/public/stats/7d"];
const accepted = { acceptedAt: instant(600) };

it.each(["kept", "lost"])(
  "without a checkpoint the published responses say what a ledger must have (state %s)",
  async (state) => {
    await using scene = new Scene();
    const standing = { cumulativeWorkUnits: "10", distanceMm: 1_000 };
    await scene.ingest(receipts(1, 5, standing));
    await scene.published(100);
    const { body } = await scene.object(CHECKPOINT);
    await scene.ingest(receipts(1, 4, standing), "older.db");
    const others = [receipt(1, standing), receipt(3, standing), receipt(2, standing), ...receipts(4, 6, standing)];
    await scene.ingest(others, "forked.db");
    const telemetry = await scene.object("v1/public/telemetry");
    await scene.store.delete(CHECKPOINT);
    for (const [ledger, says] of [
      ["older.db", "noonmark: ledger_behind: the log was published with 5 entries, and the ledger has 4"],
      [
        "forked.db",
        "noonmark: ledger_forked: the log was published with 5 entries, and the ledger has other facts among these",
      ],
    ] as const) {
      if (state === "lost") scene.loseState();
      const { exitCode, stderr } = await scene.publish(110, "--ledger", ledger);
      expect([ledger, exitCode, stderr]).toEqual([ledger, 1, expect.stringContaining(says)]);
    }
    expect(await scene.object("v1/public/telemetry")).toEqual(telemetry);
    if (state === "lost") scene.loseState();
    await scene.published(120);
    expect((await scene.object(CHECKPOINT)).body).toEqual(body);
  },
);

it.each(["kept", "lost"])(
  "objects of another log are rewritten on request, and the others continue (state %s)",
  async (state) => {
    await using scene = new Scene();
    await using other = new Scene();
    const rounds = (workUnits: string) => [round(0, { workUnits }), closure(0, 0, accepted)];
    await scene.ingest([...receipts(1, 3), module(), ...rounds("600")]);
    await scene.published(10_800);
    await other.ingest([
      ...receipts(1, 9, { softwareVersion: "9.9.9" }),
      module({ state: "faulted" }),
      ...rounds("100"),
    ]);
    await other.published(10_800);
    for (const key of [...KEYS, observationTileKey("wheel-1", 0)]) await scene.putBack(key, await other.object(key));
    if (state === "lost") scene.loseState();
    await scene.ingest([receipt(4)]);
    await scene.published(10_900, "--force");
    const read = async (url: string) => (await scene.read(url, 10_900)).body;
    expect((await read("/v1/public/telemetry")).measurement.cumulativeWorkUnits).toBe("40");
    expect((await read("/v1/public/modules")).modules[0].state).toBe("ready");
    expect((await read("/v2/public/stats?range=7d")).lifetime.acceptedWorkUnits).toBe("600");
    const { items } = await read("/v1/public/installations/wheel-1/observations");
    expect(items.map(({ softwareVersion }: Json) => softwareVersion)).toEqual(["1.4.2", "1.4.2", "1.4.2", "1.4.2"]);
  },
);

it("without a head nothing is published, and a new one continues after the stored log", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 4));
  scene.copyLedger("ledger.db", "older.db");
  await scene.ingest([receipt(5)]);
  await scene.published(100);
  const telemetry = await scene.object("v1/public/telemetry");
  await scene.store.delete("private/head.json");
  for (const state of ["state", "other"]) {
    const { exitCode, stderr } = await scene.publish(110, "--state", state);
    expect([state, exitCode, stderr]).toEqual([state, 74, expect.stringContaining("noonmark: head_lost: ")]);
  }
  const { exitCode, stderr } = await scene.publish(120, "--new-head", "--ledger", "older.db");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: ")]);
  expect(await scene.object("v1/public/telemetry")).toEqual(telemetry);
  await scene.ingest([receipt(6)]);
  await scene.published(130);
  expect((await scene.read("/v1/public/telemetry", 130)).body.measurement.cumulativeWorkUnits).toBe("60");
});
