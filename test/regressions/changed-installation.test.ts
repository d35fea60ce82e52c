/** If the configured installation changes, no response goes back, and none is served under another id. */
import { expect, it } from "vitest";
import { instant, type Json, module, oracle, receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const facts = (installationId: string, receipts: number, state: string): Json[] => [
  ...Array.from({ length: receipts }, (_, index) => receipt(index + 1, { installationId })),
  module({ installationId, state, observedAt: instant(receipts) }),
  oracle({ installationId, at: instant(receipts), blockedReason: state === "ready" ? null : "paused" }),
];
const telemetryOf = (id: string) => `/v1/public/installations/${id}/telemetry`;

/** ledger.db has 30 receipts of each of two installations; older.db has the first five of each. */
async function twoInstallations(scene: Scene): Promise<void> {
  const ids = ["wheel-1", "wheel-2"];
  await scene.ingest(ids.flatMap((id) => facts(id, 5, "ready")));
  scene.copyLedger("ledger.db", "older.db");
  await scene.ingest(ids.flatMap((id) => facts(id, 30, "faulted")));
}

it.each(["kept", "lost"])(
  "a change from A to B with a ledger older than B's responses takes nothing back (state %s)",
  async (state) => {
    await using scene = new Scene();
    await twoInstallations(scene);
    await scene.published(100);
    expect((await scene.read(telemetryOf("wheel-2"), 100)).body.measurement.cumulativeWorkUnits).toBe("300");
    if (state === "lost") scene.loseState();
    scene.settings.installationId = "wheel-2";
    const { exitCode, stderr } = await scene.publish(200, "--ledger", "older.db");
    expect((await scene.read(telemetryOf("wheel-2"), 200)).body).toMatchObject({
      measurement: { cumulativeWorkUnits: "300" },
    });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: ")]);
  },
);

it.each(["kept", "lost"])(
  "a change from A to B and back with a ledger older than A's responses takes nothing back (state %s)",
  async (state) => {
    await using scene = new Scene();
    await twoInstallations(scene);
    await scene.published(100);
    const [modules, process] = [
      await scene.read("/v1/public/modules", 100),
      await scene.read("/v4/public/process", 100),
    ];
    scene.settings.installationId = "wheel-2";
    await scene.published(200);
    if (state === "lost") scene.loseState();
    scene.settings.installationId = "wheel-1";
    const { exitCode, stderr } = await scene.publish(300, "--ledger", "older.db");
    expect((await scene.read(telemetryOf("wheel-1"), 300)).body).toMatchObject({
      measurement: { cumulativeWorkUnits: "300" },
    });
    const now = [await scene.read("/v1/public/modules", 300), await scene.read("/v4/public/process", 300)];
    // They are still wheel-2's, or wheel-1's unchanged.
    for (const [index, before] of [modules, process].entries()) {
      const body = now[index]?.body;
      if (body.installationId === "wheel-1")
        expect(body.modules ?? body.oracle).toEqual(before.body.modules ?? before.body.oracle);
    }
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_behind: ")]);
  },
);

it("an installation's telemetry is never served as another's while the index does not name the new one yet", async () => {
  await using scene = new Scene();
  await twoInstallations(scene);
  await scene.published(100);
  scene.settings.installationId = "wheel-2";
  await scene.published(200, "--only", "telemetry");
  for (const id of ["wheel-1", "wheel-2"]) {
    const { status, body } = await scene.read(telemetryOf(id), 200);
    expect([id, status, body.installationId]).toEqual(status === 503 ? [id, 503, undefined] : [id, 200, id]);
  }
});
