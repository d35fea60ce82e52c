/** A ledger with other facts than were published changes nothing, at any time and in any batches. */
import { expect, it } from "vitest";
import { closure, instant, type Json, module, receipt, round, uuid } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

/** Accepted rounds from the first on, with this much work each. */
function rounds(...workUnits: number[]): Json[] {
  return workUnits.flatMap((work, id) => {
    const end = instant(600 * (id + 1));
    return [round(id, { workUnits: String(work), closedAt: end }), closure(id, id, { acceptedAt: end })];
  });
}

const receipts = [receipt(1), receipt(2)];
const accepted = async (scene: Scene, seconds: number) =>
  (await scene.read("/v2/public/stats?range=7d", seconds)).body.lifetime?.acceptedWorkUnits;

/** The correct ledger was published with three rounds. A forked one with four rounds was rejected in the next run. */
async function forkRefused(scene: Scene): Promise<void> {
  await scene.ingest([...receipts, ...rounds(600, 600, 600)]);
  await scene.published(10_800);
  expect(await accepted(scene, 10_800)).toBe("1800");
  await scene.ingest([...receipts, ...rounds(100, 100, 100)], "forked.db");
  await scene.ingest(rounds(100, 100, 100, 100), "forked.db");
  const refused = await scene.publish(10_900, "--ledger", "forked.db");
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_forked: ")]);
  expect(await accepted(scene, 10_900)).toBe("1800");
}

it("a forked ledger that was rejected once leaves nothing in the statistics of the correct one", async () => {
  await using scene = new Scene();
  await forkRefused(scene);
  await scene.ingest(rounds(600, 600, 600, 600));
  await scene.published(11_000);
  expect(await accepted(scene, 11_000)).toBe("2400");
});

it("a ledger that forked in receipts advances no other kind of fact and no other installation", async () => {
  await using scene = new Scene();
  const other = (n: number) => receipt(n, { installationId: "wheel-2", telemetryId: uuid(0x100 + n) });
  const work = async () =>
    (await scene.read("/v1/public/installations/wheel-2/telemetry", 11_000)).body.measurement.cumulativeWorkUnits;
  await scene.ingest([...receipts, other(1), module()]);
  await scene.published(10_800);
  const forked = [receipt(1), receipt(2, { cumulativeWorkUnits: "21" }), other(1), other(2)];
  await scene.ingest([...forked, module(), module({ instanceId: "encoder-1" })], "forked.db");
  const refused = await scene.publish(10_900, "--ledger", "forked.db");
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("noonmark: ledger_forked: ")]);
  expect((await scene.read("/v1/public/modules", 10_900)).body.modules).toHaveLength(1);
  expect(await work()).toBe("10");
  // The correct ledger continues with other facts, which no fork has replaced.
  await scene.ingest([other(2), other(3), module({ instanceId: "encoder-2" })]);
  await scene.published(11_000);
  expect((await scene.read("/v1/public/modules", 11_000)).body.modules).toHaveLength(2);
  expect(await work()).toBe("30");
});
